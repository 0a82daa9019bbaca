package blackbox

import (
	"net/http"
	"strings"
	"testing"
)

// offered gives the tools of a connection by name.
func (r *rig) offered(t *testing.T, token string) map[string]map[string]any {
	t.Helper()
	got := r.send(t, sent{token: token})
	got.want(t, 200)
	list, _ := got.at("result", "tools").([]any)
	tools := map[string]map[string]any{}
	for _, v := range list {
		tool, _ := v.(map[string]any)
		name, _ := tool["name"].(string)
		tools[name] = tool
	}
	if len(tools) == 0 || len(tools) != len(list) {
		t.Fatalf("tools/list gives %d names in %d tools", len(tools), len(list))
	}
	return tools
}

func writesSomething(tool map[string]any) bool {
	hints, _ := tool["annotations"].(map[string]any)
	return hints["readOnlyHint"] != true
}

func readerIsOffered(t *testing.T, r *rig) {
	for name, tool := range r.offered(t, r.Reader) {
		if writesSomething(tool) {
			t.Errorf("a read connection is offered %s", name)
		}
	}
	writing := 0
	for _, tool := range r.offered(t, "") {
		if writesSomething(tool) {
			writing++
		}
	}
	if writing == 0 {
		t.Error("a write connection is offered no tool that writes") // R6: write implies read, and is more
	}
}

func insufficientScope(t *testing.T, r *rig) {
	for name, tool := range r.offered(t, "") {
		if !writesSomething(tool) {
			continue
		}
		got := r.send(t, sent{token: r.Reader, body: call(name, `{}`)})
		r.forbidden(t, name, got)
	}
	r.forbidden(t, "2026-07-28", r.modern(t, r.Reader, "tools/call", `"name":"delete_event","arguments":{"event_id":"1"},`, "delete_event"))
}

func (r *rig) forbidden(t *testing.T, what string, got reply) {
	t.Helper()
	got.want(t, 403)
	h := r.challenge(t, got)
	if !strings.HasPrefix(h, "Bearer ") || !strings.Contains(h, `error="insufficient_scope"`) || !strings.Contains(h, `scope="read write"`) || !strings.Contains(h, "error_description=") {
		t.Errorf("%s: challenge %q", what, h)
	}
	if !strings.Contains(got.body, "scope") {
		t.Errorf("%s: the body does not say it: %.300s", what, got.body)
	}
}

// spellings are calls that one reader of JSON may take for a read and another
// for a write.
func spellings(t *testing.T, r *rig) {
	const arguments = `"arguments":{"name":"blackbox","category":"NOTE","description":"never written","start_date":"2099-01-01"}`
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_or_update_\u0065vent",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools\u002fcall","params":{"name":"add_or_update_event",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_events","name":"add_or_update_event",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_or_update_event","name":"get_events",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_events","Name":"add_or_update_event",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"add_or_update_event",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"add_or_update_event",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"add_or_update_event",` + arguments + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_events"},"Params":{"name":"add_or_update_event",` + arguments + `}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_or_update_event",` + arguments + `}}]`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add_or_update_event",` + arguments + `}}`,
	} {
		got := r.send(t, sent{token: r.Reader, body: body, header: http.Header{"Mcp-Method": {"tools/list"}, "Mcp-Name": {"get_events"}}})
		if strings.Contains(got.body, `"applied"`) || got.status >= 500 {
			t.Errorf("%s\nis answered %d %.300s", body, got.status, got.body)
		}
	}
	if r.Writes {
		got := r.send(t, sent{body: call("get_events", `{"start_date":"2099-01-01","end_date":"2099-01-02"}`)})
		if strings.Contains(got.body, "blackbox") {
			t.Error("a read connection has written")
		}
	}
}

func toolset(t *testing.T, r *rig) {
	core, full := r.offered(t, r.Core), r.offered(t, "")
	if len(core) >= len(full) {
		t.Errorf("core offers %d tools, full %d", len(core), len(full))
	}
	for name, tool := range full {
		if _, ok := core[name]; ok || writesSomething(tool) {
			continue
		}
		got := r.send(t, sent{token: r.Core, body: call(name, `{}`)})
		got.want(t, 200)
		if !got.failedCall() || !strings.Contains(got.body, "full toolset") {
			t.Errorf("%s: %.300s", name, got.body)
		}
	}
}
