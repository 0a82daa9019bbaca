package mcpserver

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestABodyOverTheLimitIs413(t *testing.T) { // gap c
	r := newRig(t, nil)
	for _, n := range []int{DefaultMaxBody + 1, 10 << 20} {
		got := r.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aa_write","arguments":{"x":"`+strings.Repeat("a", n)+`"}}}`)
		wantStatus(t, got, 413)
		if !strings.Contains(got.body, "at most 4 MB") {
			t.Error(got.body)
		}
	}
	if len(r.caller.calls()) > 0 {
		t.Error("something ran")
	}
}

func TestABodyOverTheLimitIs413WithoutALength(t *testing.T) {
	r := newRig(t, func(_ *Options, e *Edge) { e.MaxBody = 1000 })
	req, _ := http.NewRequest("POST", r.URL+Path, io.MultiReader(strings.NewReader(strings.Repeat(" ", 5000)))) // chunked
	req.Header.Set("Authorization", "Bearer reader")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // a test
	if resp.StatusCode != 413 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestABodyUnderTheLimitPasses(t *testing.T) {
	r := newRig(t, nil)
	wantStatus(t, r.post(t, strings.Repeat(" ", DefaultMaxBody-len(list))+list), 200)
}

func TestABrokenBodyIsExplained(t *testing.T) {
	r := newRig(t, nil)
	whole := call("aa_write")
	for name, c := range map[string]struct{ body, says string }{
		"empty":         {"", "empty"},
		"blank":         {" \n ", "empty"},
		"truncated":     {whole[:len(whole)-3], "cut off"},
		"half a string": {whole[:20], "cut off"},
		"text":          {"hello", "not JSON"},
		"form":          {"a=b&c=d", "not JSON"},
		"trailing":      {whole + "x", "not JSON"},
		"two":           {whole + whole, "not JSON"},
		"raw NUL":       {"{\"jsonrpc\":\"2.0\x00\"}", "not JSON"},
		"BOM":           {"\ufeff" + whole, "not JSON"},
		"string":        {`"x"`, "no JSON object"},
		"number":        {`7`, "no JSON object"},
		"null":          {`null`, "no JSON object"},
		"batch":         {"[" + whole + "]", "several messages"},
		"too deep":      {strings.Repeat(`{"a":`, 20000), "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.post(t, c.body)
			wantStatus(t, got, 400)
			message, _ := got.at("error", "message").(string)
			if got.at("jsonrpc") != "2.0" || !strings.Contains(message, c.says) {
				t.Errorf("says %s", got.body)
			}
		})
	}
	if len(r.caller.calls()) > 0 {
		t.Error("something ran")
	}
}

func TestABodyThatBreaksOffIsNoRequest(t *testing.T) {
	r := newRig(t, nil)
	c, err := net.Dial("tcp", r.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // a test
	_, _ = io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"+call("aa_write"))
	_ = c.(*net.TCPConn).CloseWrite()
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	b, _ := io.ReadAll(c)
	if len(r.caller.calls()) > 0 {
		t.Errorf("half a body was acted upon: %s", b)
	}
}

func TestOnlyPlainJSONIsRead(t *testing.T) {
	r := newRig(t, nil)
	for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data; boundary=x", ";"} {
		wantStatus(t, r.post(t, list, "Content-Type", media), 415)
	}
	wantStatus(t, r.post(t, list, "Content-Type", "application/json; charset=utf-8"), 200)
	wantStatus(t, r.post(t, list, "Content-Encoding", "gzip"), 415)
}

func TestOddEnvelopesAreRefusedByMCPGoItself(t *testing.T) {
	r := newRig(t, nil)
	for _, body := range []string{
		`{}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":{"a":1},"method":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"nope"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		got := r.post(t, body)
		if got.StatusCode >= 500 || (got.body != "" && got.json == nil) {
			t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
		}
	}
	if len(r.caller.calls()) > 0 {
		t.Errorf("ran %v", r.caller.calls())
	}
}

func TestParamsOfAnotherShapeAreExplainedWithoutADumpOfTypes(t *testing.T) { // gap k
	r := newRig(t, nil)
	for _, params := range []string{`[]`, `{"name":7}`, `{"name":{}}`} {
		got := r.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`)
		if !strings.Contains(got.body, "-32602") || !strings.Contains(got.body, "an object") || strings.Contains(got.body, "json:") || strings.Contains(got.body, "struct") {
			t.Errorf("%s: %s", params, got.body)
		}
	}
}

// FuzzMessage: whatever is sent, a read connection never reaches a write
// tool, nothing panics, and every answer is JSON or empty.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		list, call("aa_write"), call("zz_read"),
		`{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","PARAMS":{"NAME":"aa_write"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"zz_read","name":"aa_write"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zz_read"},"params":{"name":"aa_write"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aa_write","task":{"ttl":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/call"}`, `[`, "", `{"jsonrpc":"2.0","id":1,"method":"tools\u002fcall","params":{"name":"aa\u005fwrite"}}`,
	} {
		f.Add(seed, "", "")
		f.Add(seed, "2026-07-28", "tools/call")
	}
	r := newRig(f, func(_ *Options, e *Edge) { e.Timeout = 2 * time.Second })
	f.Fuzz(func(t *testing.T, body, version, method string) {
		clean := func(s string) string { return shown(strings.TrimSpace(s), 40) }
		got := r.post(t, body, "Authorization", "Bearer reader", "Mcp-Protocol-Version", clean(version), "Mcp-Method", clean(method), "Mcp-Name", "aa_write")
		if got.StatusCode >= 500 || (got.body != "" && got.json == nil && !strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream")) {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		for _, ran := range r.caller.calls() {
			if ran != "zz_read" {
				t.Fatalf("%s ran for a read connection", ran)
			}
		}
	})
}
