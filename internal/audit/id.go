package audit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// timeLayout has a fixed width, so that keys sort by time.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// ID names a change. Its text, such as "dj3k2m9x1c0a-7fq2w8x0ab", encodes time
// and request.
type ID struct {
	Time    time.Time // UTC, to the nanosecond
	Request string    // letters, digits, "_"; at most 40
}

// NewID makes an ID; characters that have no place in a key are left out of
// request.
func NewID(t time.Time, request string) ID {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') {
			return r
		}
		return -1
	}, request)
	return ID{Time: t.UTC(), Request: clean[:min(len(clean), 40)]}
}

// ParseID reads a change_id back.
func ParseID(s string) (ID, error) {
	nanos, request, _ := strings.Cut(s, "-")
	n, err := strconv.ParseInt(nanos, 36, 64)
	id := NewID(time.Unix(0, n), request)
	if err != nil || n <= 0 || request == "" || id.String() != s {
		return ID{}, fmt.Errorf("change id: want the change_id of a change, such as dj3k2m9x1c0a-7fq2w8x0ab")
	}
	return id, nil
}

// IsZero reports the absence of an ID.
func (id ID) IsZero() bool { return id.Request == "" }

// String is the change_id; "" for the zero ID.
func (id ID) String() string {
	if id.IsZero() {
		return ""
	}
	return strconv.FormatInt(id.Time.UnixNano(), 36) + "-" + id.Request
}

// MarshalText and UnmarshalText write an ID as its change_id.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = ID{}
		return nil
	}
	v, err := ParseID(string(b))
	*id = v
	return err
}

// PartitionKey is the first part of the key of a user's items.
func PartitionKey(user string) string { return "u#" + user }

// prefix begins the sort keys of all items of the change.
func (id ID) prefix() string { return id.Time.Format(timeLayout) + "#" + id.Request + "#" }

// SortKey is the second part of the key of one item of the change.
func (id ID) SortKey(n int, p Phase) string {
	return id.prefix() + strconv.Itoa(n) + "#" + string(p)
}

// KeyRange bounds the sort keys of all items of the change: from, inclusive,
// to, exclusive.
func (id ID) KeyRange() (from, to string) {
	p := id.prefix()
	return p, p[:len(p)-1] + "$" // "$" comes after "#"
}

// TimeKey is where items of changes at or after t begin.
func TimeKey(t time.Time) string { return t.UTC().Format(timeLayout) }
