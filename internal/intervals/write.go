package intervals

import (
	"context"
	"net/http"
	"net/url"
)

// Writer writes to Intervals.icu. Only package change makes one (a test
// checks that), so that every write is planned, audited and read back. It has
// no method for what must be impossible to ask for: range deletes and range
// updates, upserts, deletes by external id (safety.md).
type Writer struct{ c *Client }

// NewWriter makes the writer of a client's credential.
func NewWriter(c *Client) *Writer { return &Writer{c} }

// Patch holds the keys that a write sends, and no others.
type Patch map[string]any

func (w *Writer) send(ctx context.Context, op, method string, query url.Values, body any, segments ...string) (Object, error) {
	answer, err := w.c.do(ctx, call{op: op, method: method, segments: segments, query: query, body: body})
	if err != nil {
		return Object{}, err
	}
	if trim(string(answer)) == "" {
		return Object{}, nil
	}
	o, err := ParseObject(answer)
	if err != nil {
		// The write was accepted; what it answered cannot be read.
		return Object{}, &Error{Op: op, Kind: BadBody, Status: http.StatusOK, Reason: err.Error(), MaybeApplied: true}
	}
	return o, nil
}

// CreateEvent creates an event. With a uid in the patch, an event of the same
// uid is updated instead, so that sending it twice makes one (API.md 3.3).
func (w *Writer) CreateEvent(ctx context.Context, athlete string, p Patch) (Event, error) {
	const op = "create event"
	if err := badID(op, "athlete id", athlete); err != nil {
		return Event{}, err
	}
	var query url.Values
	if p["uid"] != nil {
		query = url.Values{"upsertOnUid": {"true"}}
	}
	o, err := w.send(ctx, op, http.MethodPost, query, p, "athlete", athlete, "events")
	return Event{o}, err
}

// CreateEvents creates events in one request, or updates those whose uid is
// there already. It gives what upstream answered, in no sure order.
func (w *Writer) CreateEvents(ctx context.Context, athlete string, list []Patch) ([]Event, error) {
	const op = "create events"
	if err := badID(op, "athlete id", athlete); err != nil {
		return nil, err
	}
	for _, p := range list {
		if p["uid"] == nil {
			return nil, &Error{Op: op, Kind: BadArgument, Reason: "an event without uid"}
		}
	}
	answer, err := w.c.do(ctx, call{op: op, method: http.MethodPost, query: url.Values{"upsertOnUid": {"true"}}, body: list,
		segments: []string{"athlete", athlete, "events", "bulk"}})
	if err != nil {
		return nil, err
	}
	objects, err := ParseObjects(answer)
	if err != nil {
		return nil, &Error{Op: op, Kind: BadBody, Status: http.StatusOK, Reason: err.Error(), MaybeApplied: true}
	}
	out := make([]Event, len(objects))
	for i, o := range objects {
		out[i] = Event{o}
	}
	return out, nil
}

// PairActivity says that an activity is how a planned event was done, and
// nothing else of either.
func (w *Writer) PairActivity(ctx context.Context, activity string, event int64) error {
	const op = "pair activity"
	if err := badID(op, "activity id", activity); err != nil {
		return err
	}
	if err := badNumber(op, "event id", event); err != nil {
		return err
	}
	_, err := w.send(ctx, op, http.MethodPut, nil, Patch{"paired_event_id": event}, "activity", activity)
	return err
}

// UpdateEvent changes only the keys of the patch.
func (w *Writer) UpdateEvent(ctx context.Context, athlete string, event int64, p Patch) (Event, error) {
	const op = "update event"
	if err := badID(op, "athlete id", athlete); err != nil {
		return Event{}, err
	}
	if err := badNumber(op, "event id", event); err != nil {
		return Event{}, err
	}
	o, err := w.send(ctx, op, http.MethodPut, nil, p, "athlete", athlete, "events", digits(event))
	return Event{o}, err
}

// DeleteEvent deletes one event and no others of its series.
func (w *Writer) DeleteEvent(ctx context.Context, athlete string, event int64) error {
	const op = "delete event"
	if err := badID(op, "athlete id", athlete); err != nil {
		return err
	}
	if err := badNumber(op, "event id", event); err != nil {
		return err
	}
	_, err := w.c.do(ctx, call{op: op, method: http.MethodDelete, segments: []string{"athlete", athlete, "events", digits(event)}})
	return err
}

// DeleteEvents deletes events by id in one request and says how many there
// were; ids that do not exist are ignored upstream.
func (w *Writer) DeleteEvents(ctx context.Context, athlete string, events []int64) (deleted int64, err error) {
	const op = "delete events"
	if err := badID(op, "athlete id", athlete); err != nil {
		return 0, err
	}
	body := make([]map[string]int64, len(events))
	for i, id := range events {
		if err := badNumber(op, "event id", id); err != nil {
			return 0, err
		}
		body[i] = map[string]int64{"id": id}
	}
	o, err := w.send(ctx, op, http.MethodPut, nil, body, "athlete", athlete, "events", "bulk-delete")
	n, _ := o.Int("eventsDeleted")
	return n, err
}

// AddMessage comments on an activity; others see it. The answer holds the
// message's id where upstream gave one.
func (w *Writer) AddMessage(ctx context.Context, activity, content string) (Message, error) {
	const op = "add activity message"
	if err := badID(op, "activity id", activity); err != nil {
		return Message{}, err
	}
	o, err := w.send(ctx, op, http.MethodPost, nil, Patch{"content": content}, "activity", activity, "messages")
	return Message{o}, err
}

// CreateCustomItem creates a custom field, chart or stream.
func (w *Writer) CreateCustomItem(ctx context.Context, athlete string, p Patch) (CustomItem, error) {
	const op = "create custom item"
	if err := badID(op, "athlete id", athlete); err != nil {
		return CustomItem{}, err
	}
	o, err := w.send(ctx, op, http.MethodPost, nil, p, "athlete", athlete, "custom-item")
	return CustomItem{o}, err
}

// UpdateCustomItem changes only the keys of the patch; content is replaced
// whole (API.md 2.8).
func (w *Writer) UpdateCustomItem(ctx context.Context, athlete string, item int64, p Patch) (CustomItem, error) {
	const op = "update custom item"
	if err := badID(op, "athlete id", athlete); err != nil {
		return CustomItem{}, err
	}
	if err := badNumber(op, "custom item id", item); err != nil {
		return CustomItem{}, err
	}
	o, err := w.send(ctx, op, http.MethodPut, nil, p, "athlete", athlete, "custom-item", digits(item))
	return CustomItem{o}, err
}

// DeleteCustomItem deletes one custom item.
func (w *Writer) DeleteCustomItem(ctx context.Context, athlete string, item int64) error {
	const op = "delete custom item"
	if err := badID(op, "athlete id", athlete); err != nil {
		return err
	}
	if err := badNumber(op, "custom item id", item); err != nil {
		return err
	}
	_, err := w.c.do(ctx, call{op: op, method: http.MethodDelete, segments: []string{"athlete", athlete, "custom-item", digits(item)}})
	return err
}
