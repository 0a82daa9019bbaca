package fake

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// Transport reaches the server in the same process, without a socket. Cuts
// come out as network errors, and a request's context ends a delay. Bodies
// are never packed: there is no wire to save.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ server *Server }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := t.server.handle(r)
	if err != nil {
		return nil, err
	}
	a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	return &http.Response{
		Status:        strconv.Itoa(a.status) + " " + http.StatusText(a.status),
		StatusCode:    a.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        a.header,
		Body:          io.NopCloser(bytes.NewReader(a.body)),
		ContentLength: int64(len(a.body)),
		Request:       r,
	}, nil
}
