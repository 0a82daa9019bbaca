package state

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"intervals-mcp/internal/audit"
)

// Pack compresses a plan for a store: it is JSON, which shrinks to a tenth.
func Pack(plan []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(plan); err != nil {
		return nil, fmt.Errorf("state: compress a plan: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("state: compress a plan: %w", err)
	}
	return b.Bytes(), nil
}

// Unpack gives back what Pack was given, and refuses what was never packed.
func Unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("state: a stored plan is damaged: %w", err)
	}
	plan, err := io.ReadAll(io.LimitReader(r, MaxPlan+1))
	if err != nil {
		return nil, fmt.Errorf("state: a stored plan is damaged: %w", err)
	}
	if len(plan) > MaxPlan {
		return nil, errors.New("state: a stored plan is damaged: it is too large")
	}
	return plan, nil
}

// record is what a store keeps of a plan besides what it compares itself: the
// plan, the count of wrong summaries and the change.
type record struct {
	Connection string    `json:"connection"`
	Client     string    `json:"client,omitempty"`
	Athlete    string    `json:"athlete,omitempty"`
	Tool       string    `json:"tool,omitempty"`
	Summary    string    `json:"summary,omitempty"`
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires"`
	Person     bool      `json:"person,omitempty"`
}

// Encode gives a plan's description for a store, without the plan itself.
func (w Waiting) Encode() ([]byte, error) {
	return json.Marshal(record{w.Connection, w.Client, w.Athlete, w.Tool, w.Summary, w.Created.UTC(), w.Expires.UTC(), w.Person})
}

// Decode reads what Encode wrote.
func Decode(user, handle string, b []byte) (Waiting, error) {
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return Waiting{}, fmt.Errorf("state: a stored plan is damaged: %w", err)
	}
	return Waiting{Handle: handle, User: user, Connection: r.Connection, Client: r.Client, Athlete: r.Athlete, Tool: r.Tool,
		Summary: r.Summary, Created: r.Created, Expires: r.Expires, Person: r.Person}, nil
}

// CheckHead refuses what Use must not write as the head intent of a user's
// change.
func CheckHead(user string, head audit.Item) error {
	if !head.Head() || head.Phase != audit.Intent || head.User != user {
		return errors.New("state: a confirmation is used with the head intent of its user's change")
	}
	return head.Check()
}

// CheckRate refuses what Allow cannot count.
func CheckRate(key string, limit int, window time.Duration) error {
	if key == "" || len(key) > 1024 || limit < 1 || window <= 0 {
		return errors.New("state: a rate has a key, a limit and a window")
	}
	return nil
}

// Window gives the fixed window that a moment falls into: windows of one length
// follow each other from 1970 on, so that all processes agree on them.
func Window(t time.Time, window time.Duration) (start, end time.Time) {
	n := t.UnixNano()
	start = time.Unix(0, n-n%int64(window)).UTC()
	return start, start.Add(window)
}
