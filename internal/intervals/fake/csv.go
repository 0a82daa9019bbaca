package fake

import (
	"encoding/csv"
	"net/http"
	"strings"
)

// csvAnswer writes rows as CSV with keys for columns; what is no text or
// number stands in its cell as JSON, null is an empty cell.
func csvAnswer(keys []string, list []row) *answer {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(keys)
	cells := make([]string, len(keys))
	for _, r := range list {
		for i, k := range keys {
			cells[i] = cell(r.get(k))
		}
		_ = w.Write(cells)
	}
	w.Flush()
	a := &answer{status: http.StatusOK, header: http.Header{}, body: []byte(b.String())}
	a.header.Set("Content-Type", "text/csv")
	return a
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return string(encode(nil, v))
}
