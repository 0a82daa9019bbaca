package gateway

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// refuse is an answer of the gateway itself.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"message":"` + message + `"}`))
}

// answer turns a function's response into HTTP.
func (g *Gateway) answer(w http.ResponseWriter, a Response) {
	body := []byte(a.Body)
	if a.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(a.Body); err != nil {
			refuse(w, http.StatusInternalServerError, "Internal Server Error")
			return
		}
	}
	if a.StatusCode < 200 || a.StatusCode > 599 {
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	h := w.Header()
	for name, value := range a.Headers {
		g.header(h, name, value)
	}
	for name, values := range a.MultiValueHeaders {
		g.header(h, name, strings.Join(values, ","))
	}
	for _, c := range a.Cookies {
		h.Add("Set-Cookie", c)
	}
	w.WriteHeader(a.StatusCode)
	_, _ = w.Write(body)
}

// header passes one on, spelled as the function spelled it.
func (g *Gateway) header(h http.Header, name, value string) {
	switch strings.ToLower(name) {
	case "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "trailer", "te":
		return // the connection's own
	case "content-type":
		name = "Content-Type"
	case "www-authenticate":
		if g.RemapChallenge {
			name = "x-amzn-remapped-www-authenticate"
		}
	}
	h[name] = []string{value}
}
