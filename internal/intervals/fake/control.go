package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// control is what tests ask of the fake beyond the platform: faults to come
// and the requests seen.
type control struct {
	faults   []*fault
	requests []*seen
}

// fault is one entry of POST /_fake/faults. It meets the requests of its
// method (any when empty) whose path its regular expression finds, Times
// times (0 is once, negative is always).
//
// With a Status the answer is that and nothing happens. With a Body but no
// status the effect happens and only the answer's body is wrong. With a Cut
// the connection drops, before or after the effect. A delay alone is a slow
// but normal request.
type fault struct {
	Method     string          `json:"method"`
	Path       string          `json:"path"`
	Times      int             `json:"times"`
	Status     int             `json:"status"`
	Body       json.RawMessage `json:"body"`
	RetryAfter float64         `json:"retry_after"` // s
	DelayMS    int             `json:"delay_ms"`
	Cut        string          `json:"cut"`

	path *regexp.Regexp
	left int
}

// seen is one row of GET /_fake/requests. Status is 0 for a request whose
// connection was cut. BodySize is the request's.
type seen struct {
	Method   string `json:"method"`
	Path     string `json:"path"`
	Query    string `json:"query"`
	Status   int    `json:"status"`
	BodySize int    `json:"body_size"`
}

// mostSeen bounds the log of requests.
const mostSeen = 20000

// errCut is what the caller of a cut connection sees.
var (
	errCutBefore = &net.OpError{Op: "read", Net: "fake", Err: syscall.ECONNRESET}
	errCutAfter  = fmt.Errorf("fake: the connection dropped before the answer: %w", io.ErrUnexpectedEOF)
)

// arrive notes a request and takes the first fault that meets it.
func (s *Server) arrive(r *http.Request, size int) (*seen, *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := &seen{
		Method: r.Method, Path: s.redact(r.URL.Path), Query: s.redact(r.URL.RawQuery), BodySize: size,
	}
	if len(s.control.requests) >= mostSeen {
		s.control.requests = append([]*seen{}, s.control.requests[mostSeen/2:]...)
	}
	s.control.requests = append(s.control.requests, entry)
	for i, f := range s.control.faults {
		if f.Method != "" && f.Method != r.Method || !f.path.MatchString(r.URL.Path) {
			continue
		}
		if f.left--; f.left == 0 {
			s.control.faults = append(s.control.faults[:i:i], s.control.faults[i+1:]...)
		}
		return entry, f
	}
	return entry, nil
}

// redact takes keys out of what a client put in the wrong place.
func (s *Server) redact(text string) string {
	for key := range s.byKey {
		if strings.Contains(text, key) {
			text = strings.ReplaceAll(text, key, "***")
		}
	}
	return text
}

// leave completes a request's row.
func (s *Server) leave(entry *seen, a *answer, err error) {
	if err == nil {
		s.mu.Lock()
		entry.Status = a.status
		s.quota.stamp(a, time.Now())
		s.mu.Unlock()
	}
	s.log.Debug("fake: request", "method", entry.Method, "path", entry.Path, "status", entry.Status)
}

// withFault answers a request as its fault, if any, says.
func (s *Server) withFault(ctx context.Context, f *fault, answered func() *answer) (*answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f == nil {
		return answered(), nil
	}
	if err := wait(ctx, time.Duration(f.DelayMS)*time.Millisecond); err != nil {
		return nil, err
	}
	switch {
	case f.Cut == "before":
		return nil, errCutBefore
	case f.Cut == "after":
		answered()
		return nil, errCutAfter
	case f.Status != 0:
		return f.answer(), nil
	case f.Body != nil:
		a := answered()
		a.body = f.bodyBytes()
		return a, nil
	}
	return answered(), nil
}

// answer is the fault's own response; without a body the platform's usual one
// for the status.
func (f *fault) answer() *answer {
	a := jsonAnswer(f.Status, statusBody(f.Status, http.StatusText(f.Status)))
	if f.Body != nil {
		a.body = f.bodyBytes()
	}
	if f.RetryAfter > 0 {
		a.header.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter))))
	}
	return a
}

// bodyBytes: a string is sent as it stands, so that it need not be JSON.
func (f *fault) bodyBytes() []byte {
	var text string
	if json.Unmarshal(f.Body, &text) == nil {
		return []byte(text)
	}
	return f.Body
}

// controlRoute answers the routes under /_fake/, which need no credential and
// are not logged.
func (s *Server) controlRoute(r *http.Request, body []byte) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var v any
	var err error
	switch r.Method + " " + r.URL.Path {
	case "POST /_fake/faults":
		v, err = s.addFaults(body)
	case "GET /_fake/requests":
		v = append([]*seen{}, s.control.requests...)
	case "DELETE /_fake/requests":
		s.control.requests = nil
	case "POST /_fake/clock":
		v, err = s.setClock(body)
	case "POST /_fake/device":
		v, err = s.device(body)
	default:
		return jsonAnswer(http.StatusNotFound, statusBody(http.StatusNotFound, "Not Found"))
	}
	if err != nil {
		return jsonAnswer(http.StatusBadRequest, statusBody(http.StatusBadRequest, err.Error()))
	}
	return jsonAnswer(http.StatusOK, v)
}

// addFaults appends a list of faults; an empty list clears them. It answers
// with how many are waiting.
func (s *Server) addFaults(body []byte) (any, error) {
	var list []*fault
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("faults: a list of objects is expected: %w", err)
	}
	for i, f := range list {
		if err := f.prepare(); err != nil {
			return nil, fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	if len(list) == 0 {
		s.control.faults = nil
	}
	s.control.faults = append(s.control.faults, list...)
	return Object{"faults": len(s.control.faults)}, nil
}

func (f *fault) prepare() error {
	if f == nil {
		return fmt.Errorf("is null")
	}
	path, err := regexp.Compile(f.Path)
	if err != nil {
		return fmt.Errorf("path: %w", err)
	}
	f.path, f.left = path, max(f.Times, 1)
	if f.Times < 0 {
		f.left = -1
	}
	f.Method = strings.ToUpper(f.Method)
	switch {
	case f.Cut != "" && f.Cut != "before" && f.Cut != "after":
		return fmt.Errorf(`cut: %q is neither "before" nor "after"`, f.Cut)
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status: %d is no final status", f.Status)
	case f.RetryAfter > 0 && f.Status == 0:
		f.Status = http.StatusTooManyRequests
	}
	if string(f.Body) == "null" {
		f.Body = nil
	}
	return nil
}

// setClock puts the clock to an instant, where it stands; without `now` the
// server's own clock runs again.
func (s *Server) setClock(body []byte) (any, error) {
	var to struct{ Now string }
	if err := json.Unmarshal(body, &to); err != nil {
		return nil, fmt.Errorf("clock: %w", err)
	}
	if to.Now == "" {
		s.clock = s.opts.Now
	} else {
		t, err := time.Parse(time.RFC3339, to.Now)
		if err != nil {
			return nil, fmt.Errorf("clock: now: %w", err)
		}
		s.clock = func() time.Time { return t }
	}
	return Object{"now": s.now().Format(time.RFC3339)}, nil
}

// device does to an event what a watch or a calendar sync does behind
// everyone's back: POST /_fake/device
//
//	{"event_id": 1, "push_errors": [...], "activity_id": "i1"}
//
// moves the event's `updated`, sets its push errors if given, and pairs the
// activity if one is named.
func (s *Server) device(body []byte) (any, error) {
	c := &call{body: body}
	o, err := c.object()
	if err != nil {
		return nil, err
	}
	id, _ := whole(o, "event_id")
	for _, a := range s.athletes {
		e := a.event(id)
		if e == nil {
			continue
		}
		if list, sent := o["push_errors"]; sent {
			e.Object["push_errors"] = list
		}
		if actID := idText(o["activity_id"]); actID != "" {
			act := s.activities[actID]
			if act == nil || act.owner != a {
				return nil, fmt.Errorf("device: athlete %s has no activity %q", a.id, actID)
			}
			s.pair(act, id)
		}
		e.Object["updated"] = s.stampNow()
		return eventRow(e), nil
	}
	return nil, fmt.Errorf("device: no event %d", id)
}
