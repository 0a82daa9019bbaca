// Command samples serves every sample page of package pagestest on loopback, for
// the real browser of `make browser`. It prints its address on one line. Forms
// lead nowhere: what is sent is answered with 404, but for the answer to a
// consent page, which is sent on to a second origin that plays the client.
//
//	GET /samples.json       the names of the pages
//	GET /sample/<name>      the page
//	GET /consent/announced  a consent page that names the client's own address
//	GET /consent/foreign    one that names another: the answer must not get there
//	GET /picture/<name>     a page for docs/connect, as it is at -origin
//	GET /client             where the client is: its page opens the consent page
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/oauth/pages/pagestest"
)

func main() {
	as := flag.String("origin", "https://mcp.example.com", "of the pages for pictures")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	origin, client := "http://"+listener.Addr().String(), "http://"+other.Addr().String()
	fmt.Println(origin)
	go func() { log.Fatal(serve(other, clientHandler(origin))) }()
	log.Fatal(serve(listener, handler(origin, client, *as)))
}

func serve(l net.Listener, h http.Handler) error {
	return (&http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}).Serve(l)
}

// clientHandler plays the client: a page that opens the consent page in a
// popup, and its callback.
func clientHandler(origin string) http.Handler {
	mux := http.NewServeMux()
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><title>Client</title><link rel=\"icon\" href=\"data:,\">%s", body)
		}
	}
	mux.HandleFunc("GET /start", page(`<a id="popup" target="_blank" rel="opener" href="`+origin+`/consent/announced">Connect</a>`))
	mux.HandleFunc("GET /callback", page(`<h1 id="arrived">Connected</h1>`))
	return mux
}

func handler(origin, client, as string) http.Handler {
	set := pages.New()
	byName := map[string]pagestest.Sample{}
	var names []string
	for _, s := range pagestest.Samples(origin) {
		byName[s.Name] = s
		names = append(names, s.Name)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+pages.PathAssets, set.Assets())
	mux.HandleFunc("GET /samples.json", func(w http.ResponseWriter, _ *http.Request) {
		if err := json.NewEncoder(w).Encode(names); err != nil {
			log.Print(err)
		}
	})
	mux.HandleFunc("GET /client", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, client+"/start", http.StatusSeeOther)
	})
	returnTo := map[string]string{"announced": client + "/callback", "foreign": "https://claude.ai/api/mcp/auth_callback"}
	mux.HandleFunc("GET /consent/{to}", func(w http.ResponseWriter, r *http.Request) {
		p := &pages.Consent{Frame: pages.Frame{Origin: origin, CSRF: "x", Person: &pages.Person{Athlete: "i1"}}, Client: pages.Client{Name: "Client"}, ReturnTo: returnTo[r.PathValue("to")], MayWrite: true}
		if err := set.Render(w, http.StatusOK, p); err != nil {
			log.Print(err)
		}
	})
	mux.HandleFunc("POST "+pages.PathAuthorize, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, client+"/callback?decision="+url.QueryEscape(r.FormValue(pages.FieldDecision))+"&scope="+url.QueryEscape(r.FormValue(pages.FieldScope)), http.StatusSeeOther)
	})
	shown := pictures(as)
	mux.HandleFunc("GET /picture/{name}", func(w http.ResponseWriter, r *http.Request) {
		p, ok := shown[r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if err := set.Render(w, http.StatusOK, p); err != nil {
			log.Print(err)
		}
	})
	mux.HandleFunc("GET /sample/{name}", func(w http.ResponseWriter, r *http.Request) {
		s, ok := byName[r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if err := set.Render(w, s.Status, s.Page); err != nil {
			log.Print(err)
		}
	})
	return mux
}
