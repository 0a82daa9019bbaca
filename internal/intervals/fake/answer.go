package fake

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// answer is a finished response, written out after the state is unlocked.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// jsonAnswer makes an answer of a value; a nil body of an error is empty.
func jsonAnswer(status int, v any) *answer {
	a := &answer{status: status, header: http.Header{}}
	if v == nil {
		return a
	}
	a.header.Set("Content-Type", "application/json")
	scratch := scratches.Get().(*[]byte)
	*scratch = encode((*scratch)[:0], v)
	a.body = bytes.Clone(*scratch)
	scratches.Put(scratch)
	return a
}

// scratches are reused to encode in: a list grows to megabytes.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// emptyAnswer is a 200 without a body.
func emptyAnswer() *answer { return jsonAnswer(http.StatusOK, nil) }

// minGzip is the smallest body that is worth packing.
const minGzip = 1024

// packers are reused: a gzip writer is 800 kB.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

func (a *answer) writeTo(w http.ResponseWriter, r *http.Request) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	if len(a.body) < minGzip || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body) // the client may have gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Add("Vary", "Accept-Encoding")
	w.WriteHeader(a.status)
	packer := packers.Get().(*gzip.Writer)
	defer packers.Put(packer)
	packer.Reset(w)
	_, _ = packer.Write(a.body)
	_ = packer.Close()
}

// The rate limit of an API key (API.md 1.7). The fake counts and tells but
// never refuses: a 429 is a fault that a test asks for.
const (
	quarterLimit = 2500
	dailyLimit   = 5000
	leastLeft    = 100
)

// quota counts requests for the X-RateLimit headers.
type quota struct {
	since time.Time
	used  int
}

func (q *quota) stamp(a *answer, now time.Time) {
	if now.Sub(q.since) > 15*time.Minute {
		q.since, q.used = now, 0
	}
	q.used++
	quarter, daily := max(quarterLimit-q.used, leastLeft), max(dailyLimit-q.used, leastLeft)
	if a.status == http.StatusTooManyRequests {
		quarter = 0
	}
	a.header.Set("X-RateLimit-Limit", fmt.Sprintf("%d,%d", quarterLimit, dailyLimit))
	a.header.Set("X-RateLimit-Remaining", fmt.Sprintf("%d,%d", quarter, daily))
}
