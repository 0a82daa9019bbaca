package awstest

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// apart keeps transactions from everything else that moto does: it carries them
// out without doing so itself, and a refused one takes back what another request
// wrote in the meantime. DynamoDB isolates them.
type apart struct {
	mu sync.RWMutex
	to *httputil.ReverseProxy
}

// keepApart stands in front of an emulator until this process ends and gives
// the address to use in its place.
func keepApart(emulator string) (string, error) {
	to, err := url.Parse(emulator)
	if err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	a := &apart{to: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}}
	go http.Serve(l, a) //nolint:errcheck,gosec // it ends with the process
	return "http://" + l.Addr().String(), nil
}

// ServeHTTP implements http.Handler.
func (a *apart) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
		a.mu.Lock()
		defer a.mu.Unlock()
	} else {
		a.mu.RLock()
		defer a.mu.RUnlock()
	}
	a.to.ServeHTTP(w, r)
}
