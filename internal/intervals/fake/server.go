package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options of a Server. The zero value is a server on the data set's clock.
type Options struct {
	// Now is the platform's clock; nil takes Dataset.Today, else the real one.
	Now func() time.Time
	// Log gets one debug line for each request, without credentials.
	Log *slog.Logger
	// KeyRejectedStatus is the answer to a wrong key: 401 (default) or 403.
	// Both were seen (API.md 1.1).
	KeyRejectedStatus int
	// EmptyWellnessDay answers GET of a wellness day without data with an
	// almost empty record instead of 404; which is right is unknown
	// (API.md 5).
	EmptyWellnessDay bool
}

// AthleteInfo is what a user of the fake needs to act as an athlete.
type AthleteInfo struct {
	ID       string   `json:"id"`
	APIKey   string   `json:"api_key"`
	Name     string   `json:"name"`
	CoachOf  []string `json:"coach_of"`
	Timezone string   `json:"-"` // the ready file has the other four
}

// Server is the platform. All its methods may be called at the same time.
type Server struct {
	opts   Options
	log    *slog.Logger
	routes []route

	activityKeySet map[string]bool

	mu       sync.Mutex // guards everything below
	clock    func() time.Time
	athletes []*athlete
	byID     map[string]*athlete
	byKey    map[string]*athlete
	// activities of all athletes, since their routes name no athlete.
	activities map[string]*activity
	records    recordCache
	lastID     int64
	lastStamp  time.Time
	quota      quota
	control    control
}

// ServeHTTP serves /api/v1/... and the control routes under /_fake/.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, err := s.handle(r)
	if err != nil {
		drop(w)
	}
	a.writeTo(w, r)
}

// drop ends the connection of a cut request. It sends the start of a status
// line first: net/http's client repeats a GET on its own when a connection
// that it used before closes without a byte, and the cut would not be seen.
func drop(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			_, _ = conn.Write([]byte("HTTP/1.1 "))
			_ = conn.Close()
		}
	}
	panic(http.ErrAbortHandler)
}

// Athletes lists the athletes in the data set's order; the first is the demo
// athlete.
func (s *Server) Athletes() []AthleteInfo {
	out := make([]AthleteInfo, 0, len(s.athletes))
	for _, a := range s.athletes {
		coachOf := append([]string{}, a.coachOf...)
		out = append(out, AthleteInfo{a.id, a.key, a.name, coachOf, a.zone.String()})
	}
	return out
}

// now is the platform's clock.
func (s *Server) now() time.Time { return s.clock() }

// stampNow is an `updated` stamp: the clock, moved on so that no two are the
// same even when the clock stands.
func (s *Server) stampNow() string {
	t := s.now().Truncate(time.Millisecond)
	if !t.After(s.lastStamp) {
		t = s.lastStamp.Add(time.Millisecond)
	}
	s.lastStamp = t
	return stamp(t)
}

// nextID gives an id that nothing else has.
func (s *Server) nextID() int64 {
	s.lastID++
	return s.lastID
}

// maxBody is the largest request body that is read.
const maxBody = 32 << 20

// call is one request on its way through the platform.
type call struct {
	s     *Server
	r     *http.Request
	query url.Values
	who   *athlete // whose credential it is
	ath   *athlete // whom the path names; nil on /activity/... routes
	act   *activity
	args  map[string]string
	ext   string // json, csv or nothing
	body  []byte
}

// handle answers one request: control routes, else faults around the API.
func (s *Server) handle(r *http.Request) (*answer, error) {
	body, err := readBody(r)
	if err != nil {
		return jsonAnswer(http.StatusBadRequest, statusBody(http.StatusBadRequest, "Bad Request")), nil
	}
	if strings.HasPrefix(r.URL.Path, "/_fake/") {
		return s.controlRoute(r, body), nil
	}
	entry, fault := s.arrive(r, len(body))
	a, err := s.withFault(r.Context(), fault, func() *answer { return s.api(r, body) })
	s.leave(entry, a, err)
	return a, err
}

// readBody reads a body up to maxBody.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	defer func() { _ = r.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errors.New("body too large")
	}
	return body, err
}

// api answers a request under /api/v1.
func (s *Server) api(r *http.Request, body []byte) (a *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("fake: panic", "path", r.URL.Path, "panic", fmt.Sprint(p))
			a = jsonAnswer(http.StatusInternalServerError,
				statusBody(http.StatusInternalServerError, fmt.Sprintf("java.lang.RuntimeException: %v", p)))
		}
	}()
	c := &call{s: s, r: r, body: body}
	v, err := c.run()
	if err != nil {
		var no *refusal
		if !errors.As(err, &no) {
			no = refuse(http.StatusInternalServerError, "%s", err)
		}
		return jsonAnswer(no.status, no.body)
	}
	if done, ok := v.(*answer); ok {
		return done
	}
	return jsonAnswer(http.StatusOK, v)
}

// run authenticates, finds the route and calls its handler.
func (c *call) run() (any, error) {
	path, ok := strings.CutPrefix(c.r.URL.Path, "/api/v1/")
	if !ok {
		return nil, c.spring(http.StatusNotFound)
	}
	who, no := c.s.authenticate(c.r)
	if no != nil {
		return nil, no
	}
	c.who = who
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "Bad Request")
	}
	c.query = query
	found, status := c.s.match(c.r.Method, path)
	if status != 0 {
		return nil, c.spring(status)
	}
	c.args, c.ext = found.args, found.ext
	if id, ok := c.args["athlete"]; ok {
		if c.ath, no = c.athlete(id); no != nil {
			return nil, no
		}
	}
	if id, ok := c.args["activity"]; ok {
		if c.act, no = c.activity(id); no != nil {
			return nil, no
		}
	}
	return found.handler(c)
}

// object reads the body as one JSON object.
func (c *call) object() (Object, error) {
	v, err := c.json()
	if err != nil {
		return nil, err
	}
	o, ok := v.(Object)
	if !ok {
		return nil, invalid("JSON parse error: Cannot deserialize value from %s: an object is expected", wrongType(v))
	}
	return o, nil
}

// list reads the body as an array of JSON objects.
func (c *call) list() ([]Object, error) {
	v, err := c.json()
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, invalid("JSON parse error: Cannot deserialize value of type `java.util.ArrayList` from %s", wrongType(v))
	}
	out := make([]Object, len(list))
	for i, e := range list {
		if out[i], ok = e.(Object); !ok {
			return nil, invalid("JSON parse error: Cannot deserialize element %d from %s", i, wrongType(e))
		}
	}
	return out, nil
}

func (c *call) json() (any, error) {
	if len(c.body) == 0 {
		return nil, refuse(http.StatusBadRequest, "Required request body is missing")
	}
	var v any
	if err := json.Unmarshal(c.body, &v); err != nil {
		return nil, refuse(http.StatusBadRequest, "JSON parse error: %s", err)
	}
	return v, nil
}

// id reads a number of the path.
func (c *call) id(name string) (int64, error) {
	n, err := strconv.ParseInt(c.args[name], 10, 64)
	if err != nil {
		return 0, badParameter(name, c.args[name], "int")
	}
	return n, nil
}

// flag reads a boolean of the query.
func (c *call) flag(name string) bool { return c.query.Get(name) == "true" }

// limit reads a whole number of the query.
func (c *call) number(name string, otherwise int) (int, error) {
	text := c.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, badParameter(name, text, "int")
	}
	return n, nil
}

// date reads a local date of the query, a time of day allowed and dropped.
func (c *call) date(name string, otherwise day) (day, error) {
	text := c.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	if _, ok := queryTime(text, false); !ok {
		return 0, badParameter(name, text, "java.time.LocalDate")
	}
	d, _ := dateDay(text)
	return d, nil
}

// today is the date it is for the athlete of the path.
func (c *call) today() day { return c.ath.today(c.s.now()) }

// wait sleeps unless the request ends first.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
