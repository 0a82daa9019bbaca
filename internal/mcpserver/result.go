package mcpserver

import (
	"bytes"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"intervals-mcp/internal/tools"
)

// A tool's answer is JSON and text of some size, which mcp-go would check and
// copy three times over. So mcp-go gets marks to write, and the answer is put
// where they stand at the end.

// held is an answer whose marks are in a message.
type held struct {
	text, structured mark
	answer           tools.Answer
}

// mark is a JSON string that stands nowhere else: it is random.
type mark []byte

func newMark() mark { return mark(`"` + newID() + newID() + `"`) }

// result gives the marks of an answer to mcp-go.
func (ex *exchange) result(a tools.Answer) *mcp.CallToolResult {
	h := &held{text: newMark(), answer: a}
	r := &mcp.CallToolResult{
		Content: []mcp.Content{mcp.NewTextContent(string(h.text[1 : len(h.text)-1]))},
		IsError: a.IsError,
	}
	if len(a.Structured) > 0 {
		h.structured = newMark()
		r.RawStructuredContent = json.RawMessage(h.structured)
	}
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.kind, ex.held = a.Kind, h
	return r
}

// fill puts the held answer where its marks stand in a message.
func (ex *exchange) fill(message []byte) []byte {
	ex.mu.Lock()
	h := ex.held
	ex.mu.Unlock()
	if h == nil {
		return message
	}
	var text bytes.Buffer
	text.Grow(len(h.answer.Text) + len(h.answer.Text)/8)
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // it is no part of a page
	_ = e.Encode(h.answer.Text)
	message = h.text.replace(message, bytes.TrimRight(text.Bytes(), "\n"))
	return h.structured.replace(message, h.answer.Structured)
}

func (m mark) replace(message, by []byte) []byte {
	if len(m) == 0 {
		return message
	}
	before, after, found := bytes.Cut(message, m)
	if !found {
		return message
	}
	out := make([]byte, 0, len(before)+len(by)+len(after))
	return append(append(append(out, before...), by...), after...)
}
