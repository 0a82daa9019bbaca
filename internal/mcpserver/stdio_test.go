package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/printed"
	"intervals-mcp/internal/tools"
)

// pipe runs ServeStdio on text and gives the answers by id.
func pipe(t *testing.T, c *caller, id identity.Identity, input string) (byID map[string]map[string]any, all []map[string]any) {
	t.Helper()
	var out printed.Lines
	s := New(Options{Caller: c, Tools: testTools, Version: "test"})
	if err := s.ServeStdio(context.Background(), id, strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	byID = map[string]map[string]any{}
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("stdout holds %q", line)
		}
		all = append(all, m)
		key, _ := json.Marshal(m["id"])
		byID[string(key)] = m
	}
	return byID, all
}

func writer(t *testing.T) identity.Identity {
	t.Helper()
	id, err := identities("writer")
	if err != nil {
		t.Fatal(err)
	}
	id.Client = "stdio"
	return id
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old client","version":"1"}}}` + "\n"

func numbered(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

func TestAPipeGetsEveryAnswerThoughStdinHasEnded(t *testing.T) {
	c := &caller{fn: func(context.Context, tools.Tool, json.RawMessage) tools.Answer {
		time.Sleep(50 * time.Millisecond)
		return tools.Answer{Text: "slow"}
	}}
	byID, _ := pipe(t, c, writer(t), hello+"\n\r\n"+numbered("1", "zz_read")+"\r\n"+numbered("2", "aa_write")) // no newline at the end
	for _, id := range []string{"0", "1", "2"} {
		if byID[id]["result"] == nil {
			t.Errorf("no answer to %s: %v", id, byID)
		}
	}
	if c.id.Client != "old client" {
		t.Errorf("client is %q", c.id.Client)
	}
}

func TestBothErasWorkOverStdio(t *testing.T) {
	byID, _ := pipe(t, &caller{}, writer(t), hello+list+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{`+modernMeta+`}}`+"\n"+
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"zz_read",`+modernMeta+`}}`)
	for _, id := range []string{"0", "1", "2", "3"} {
		if byID[id]["result"] == nil {
			t.Errorf("no answer to %s: %v", id, byID[id])
		}
	}
}

func TestOverStdioARefusalIsAToolError(t *testing.T) {
	reader, _ := identities("reader")
	c := &caller{}
	byID, _ := pipe(t, c, reader, numbered("1", "aa_write")+"\n"+numbered("2", "mm_extra")+"\n"+numbered("3", "zz_reed"))
	for id, words := range map[string]string{"1": "write scope", "2": "full toolset"} {
		b, _ := json.Marshal(byID[id])
		if r, _ := byID[id]["result"].(map[string]any); r["isError"] != true || !strings.Contains(string(b), words) || r["_meta"] != nil {
			t.Errorf("%s: %s", id, b)
		}
	}
	if b, _ := json.Marshal(byID["3"]); !strings.Contains(string(b), "did you mean zz_read") {
		t.Errorf("%s", b)
	}
	if len(c.calls()) > 0 {
		t.Errorf("ran %v", c.calls())
	}
}

func TestBadLinesAreAnsweredAndTheNextOneIsRead(t *testing.T) {
	big := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"aa_write","arguments":{"x":"` + strings.Repeat("a", 10<<20) + `"}}}`
	c := &caller{}
	byID, all := pipe(t, c, writer(t), strings.Join([]string{"hello", "{\"jsonrpc\"", "[]", "\x00", big, `{"jsonrpc":"2.0","id":5,"result":{}}`, list}, "\n"))
	if byID["1"]["result"] == nil {
		t.Error("the good line was not answered")
	}
	errs := 0
	for _, m := range all {
		if e, _ := m["error"].(map[string]any); e != nil && m["id"] == nil {
			errs++
		}
	}
	if errs != 5 || len(all) != 6 || len(c.calls()) > 0 {
		t.Errorf("%d errors, %d answers, ran %v", errs, len(all), c.calls())
	}
}

func TestAMessageOfOneMegabytePasses(t *testing.T) {
	var got int
	c := &caller{fn: func(_ context.Context, _ tools.Tool, args json.RawMessage) tools.Answer {
		got = len(args)
		return tools.Answer{Text: strings.Repeat("b", 1<<20)}
	}}
	byID, _ := pipe(t, c, writer(t), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zz_read","arguments":{"x":"`+strings.Repeat("a", 1<<20)+`"}}}`)
	if got < 1<<20 || byID["1"]["result"] == nil {
		t.Errorf("%d bytes of arguments", got)
	}
}

func TestAPanicOverStdioIsAnAnswer(t *testing.T) {
	c := &caller{fn: func(context.Context, tools.Tool, json.RawMessage) tools.Answer { panic("x") }}
	byID, _ := pipe(t, c, writer(t), numbered("1", "zz_read"))
	if r, _ := byID["1"]["result"].(map[string]any); r["isError"] != true {
		t.Error(byID)
	}
}

func TestACallOverStdioCanBeCancelledByItsClient(t *testing.T) {
	started := make(chan bool)
	c := &caller{fn: func(ctx context.Context, _ tools.Tool, _ json.RawMessage) tools.Answer {
		close(started)
		<-ctx.Done()
		return tools.Answer{Text: "cancelled", IsError: true}
	}}
	in, feed := io.Pipe()
	var out printed.Lines
	done := make(chan error, 1)
	s := New(Options{Caller: c, Tools: testTools})
	go func() { done <- s.ServeStdio(context.Background(), writer(t), in, &out) }()
	_, _ = io.WriteString(feed, numbered("7", "zz_read")+"\n")
	<-started
	_, _ = io.WriteString(feed, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`+"\n")
	_ = feed.Close()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it was not cancelled")
	}
}

func TestASignalLetsTheCallUnderWayFinish(t *testing.T) {
	started := make(chan bool)
	c := &caller{fn: func(ctx context.Context, _ tools.Tool, _ json.RawMessage) tools.Answer {
		close(started)
		time.Sleep(50 * time.Millisecond)
		return tools.Answer{Text: "finished", IsError: ctx.Err() != nil}
	}}
	in, feed := io.Pipe()
	r, out := io.Pipe()
	ctx, signal := context.WithCancel(context.Background())
	s := New(Options{Caller: c, Tools: testTools})
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(ctx, writer(t), in, out) }()
	_, _ = io.WriteString(feed, numbered("7", "zz_read")+"\n")
	<-started
	signal()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.Contains(line, "finished") || strings.Contains(line, "isError") {
		t.Errorf("%q, %v", line, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestABrokenStdoutEndsTheServer(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close() //nolint:errcheck // a test
	s := New(Options{Caller: &caller{}, Tools: testTools, Log: slog.New(slog.DiscardHandler)})
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(context.Background(), writer(t), in, broken{}) }()
	_, _ = io.WriteString(feed, list+"\n")
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(5 * time.Second):
		t.Error("it goes on")
	}
}
