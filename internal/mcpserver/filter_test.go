package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/tools"
)

func names(t *testing.T, got reply) []string {
	t.Helper()
	list, _ := got.at("result", "tools").([]any)
	var out []string
	for _, v := range list {
		out = append(out, v.(map[string]any)["name"].(string))
	}
	return out
}

func TestTheListHoldsWhatTheConnectionMayUseInTheDeclaredOrder(t *testing.T) {
	r := newRig(t, nil)
	for token, want := range map[string][]string{
		"reader": {"zz_read"}, "writer": {"zz_read", "aa_write"}, "full": {"zz_read", "aa_write", "mm_extra"},
	} {
		got := r.post(t, list, "Authorization", "Bearer "+token)
		if !slices.Equal(names(t, got), want) {
			t.Errorf("%s: %v, want %v", token, names(t, got), want)
		}
		got = r.modern(t, "tools/list", "", "", "Authorization", "Bearer "+token)
		if !slices.Equal(names(t, got), want) {
			t.Errorf("%s, modern: %v, want %v", token, names(t, got), want)
		}
	}
}

func TestEveryHintTitleAndSchemaIsSent(t *testing.T) {
	r := newRig(t, nil)
	got := r.post(t, list, "Authorization", "Bearer full")
	for _, v := range got.at("result", "tools").([]any) {
		tool := v.(map[string]any)
		hints, _ := tool["annotations"].(map[string]any)
		for _, k := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := hints[k].(bool); !ok {
				t.Errorf("%v: no %s", tool["name"], k)
			}
		}
		for _, k := range []string{"title", "description", "inputSchema", "outputSchema"} {
			if tool[k] == nil {
				t.Errorf("%v: no %s", tool["name"], k)
			}
		}
	}
}

func TestAReadConnectionIsRefusedAWriteToolWith403(t *testing.T) {
	r := newRig(t, nil)
	for name, body := range map[string]string{
		"plain":           call("aa_write"),
		"other case":      `{"JSONRPC":"2.0","ID":1,"Method":"tools/call","Params":{"Name":"aa_write"}}`,
		"method twice":    `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"aa_write"}}`,
		"name twice":      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zz_read","name":"aa_write"}}`,
		"name twice, odd": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zz_read","NAME":"aa_write"}}`,
		"params twice":    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zz_read"},"params":{"name":"aa_write"}}`,
		"escaped":         `{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"\u0061a_write"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			got := r.post(t, body, "Authorization", "Bearer reader")
			wantStatus(t, got, 403)
			h := got.Header.Get("WWW-Authenticate")
			if !strings.Contains(h, `error="insufficient_scope"`) || !strings.Contains(h, `scope="read write"`) {
				t.Errorf("challenge %q", h)
			}
			meta, _ := got.at("result", "_meta", "mcp/www_authenticate").([]any)
			if got.at("jsonrpc") != "2.0" || got.at("id") != 1.0 || got.at("result", "isError") != true || len(meta) != 1 || meta[0] != h {
				t.Errorf("body %s", got.body)
			}
		})
	}
	wantStatus(t, r.modern(t, "tools/call", `"name":"aa_write"`, "aa_write", "Authorization", "Bearer reader"), 403)
	if ran := r.caller.calls(); len(ran) > 0 {
		t.Errorf("ran %v", ran)
	}
}

func TestWhatIsCheckedIsWhatRuns(t *testing.T) { // the last of two keys counts, for the check and for the call
	r := newRig(t, nil)
	got := r.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aa_write","name":"zz_read"}}`, "Authorization", "Bearer reader")
	wantStatus(t, got, 200)
	if !slices.Equal(r.caller.calls(), []string{"zz_read"}) {
		t.Errorf("ran %v", r.caller.calls())
	}
}

func TestAToolOutsideTheToolsetIsAnErrorThatNamesTheFullSet(t *testing.T) {
	r := newRig(t, nil)
	for _, got := range []reply{r.post(t, call("mm_extra")), r.modern(t, "tools/call", `"name":"mm_extra"`, "mm_extra")} {
		wantStatus(t, got, 200)
		if got.at("result", "isError") != true || !strings.Contains(got.body, "full toolset") {
			t.Error(got.body)
		}
	}
	if len(r.caller.calls()) > 0 {
		t.Error("it ran")
	}
}

func TestAnUnknownToolIsNamedWithTheNearestKnownOne(t *testing.T) {
	r := newRig(t, nil)
	got := r.post(t, call("zz_raed"))
	wantStatus(t, got, 200)
	message, _ := got.at("error", "message").(string)
	if got.at("error", "code") != -32602.0 || !strings.Contains(message, "did you mean zz_read?") || got.at("id") != 1.0 {
		t.Error(got.body)
	}
	wantStatus(t, r.modern(t, "tools/call", `"name":"zz_raed"`, "zz_raed"), 400)
	got = r.post(t, call(strings.Repeat("x", 5000)+`\u0000\u001b[31m`))
	message, _ = got.at("error", "message").(string)
	if len(message) > 300 || strings.ContainsAny(message, "\x00\x1b") {
		t.Errorf("repeats what it was sent: %q", message)
	}
}

func TestTheArgumentsReachTheToolUntouched(t *testing.T) {
	r := newRig(t, nil)
	var got string
	r.caller.fn = func(_ ctxt, _ tools.Tool, args json.RawMessage) tools.Answer {
		got = string(args)
		return tools.Answer{Text: "ok"}
	}
	const args = `{"x":12345678901234567890, "y":"a"}`
	r.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zz_read","arguments":`+args+`}}`)
	if got != args {
		t.Errorf("got %s", got)
	}
	r.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"zz_read"}}`)
	if got != "{}" {
		t.Errorf("no arguments became %s", got)
	}
}

func TestTheResultIsTextStructureAndErrorFlag(t *testing.T) {
	r := newRig(t, nil)
	got := r.post(t, call("zz_read"))
	content, _ := got.at("result", "content").([]any)
	if len(content) != 1 || content[0].(map[string]any)["text"] != "done" || got.at("result", "structuredContent", "ok") != true || got.at("result", "isError") != nil {
		t.Error(got.body)
	}
	r.caller.fn = func(ctxt, tools.Tool, json.RawMessage) tools.Answer {
		return tools.Answer{Text: "no", IsError: true, Structured: json.RawMessage(`{"status":"refused"}`)}
	}
	got = r.post(t, call("aa_write"))
	if got.at("result", "isError") != true || got.at("result", "structuredContent", "status") != "refused" {
		t.Error(got.body)
	}
}

func TestTheClientsNameIsNotedOnlyForTheLocalUser(t *testing.T) {
	for local, want := range map[bool]string{true: "newer", false: "granted"} {
		r := newRig(t, func(_ *Options, e *Edge) {
			e.Identify = identified(local)
		})
		r.modern(t, "tools/call", `"name":"zz_read"`, "zz_read")
		if got := r.caller.id.Client; got != want {
			t.Errorf("local %v: client %q, want %q", local, got, want)
		}
	}
}

func identified(local bool) identify {
	return func(request) (identity.Identity, error) {
		id, err := identities("full")
		id.Client, id.Local = "granted", local
		return id, err
	}
}
