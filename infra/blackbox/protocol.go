package blackbox

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func initialize(t *testing.T, r *rig) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		got := r.send(t, sent{body: `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"blackbox","version":"1"}}}`})
		got.want(t, 200)
		if got.text("result", "protocolVersion") != version || got.text("result", "serverInfo", "name") == "" {
			t.Errorf("%s: %.300s", version, got.body)
		}
		if got.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: there is a session", version)
		}
		header := http.Header{"Mcp-Protocol-Version": {version}}
		if got := r.send(t, sent{body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, header: header}); got.status != 202 {
			t.Errorf("%s: initialized is answered %d %.200s", version, got.status, got.body)
		}
		r.send(t, sent{body: `{"jsonrpc":"2.0","id":2,"method":"ping"}`, header: header}).want(t, 200)
	}
}

// modern sends a request of protocol version 2026-07-28.
func (r *rig) modern(t *testing.T, token, method, params, name string) reply {
	t.Helper()
	header := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}}
	if name != "" {
		header["Mcp-Name"] = []string{name}
	}
	return r.send(t, sent{token: token, header: header, body: `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"blackbox","version":"1"}}}}`})
}

func discover(t *testing.T, r *rig) {
	got := r.modern(t, "", "server/discover", "", "")
	got.want(t, 200)
	versions, _ := got.at("result", "supportedVersions").([]any)
	if !slices.Contains(versions, any("2026-07-28")) || !slices.Contains(versions, any("2025-11-25")) {
		t.Errorf("versions %v", versions)
	}
}

func lists(t *testing.T, r *rig) {
	for name, tool := range r.offered(t, "") {
		for _, key := range []string{"title", "description"} {
			if s, _ := tool[key].(string); s == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
		if schema, _ := tool["inputSchema"].(map[string]any); schema["type"] != "object" {
			t.Errorf("%s has the input schema %v", name, schema)
		}
		hints, _ := tool["annotations"].(map[string]any)
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := hints[hint].(bool); !ok {
				t.Errorf("%s has no %s", name, hint)
			}
		}
	}
	old, modern := r.send(t, sent{}), r.modern(t, "", "tools/list", "", "")
	if !reflect.DeepEqual(old.at("result", "tools"), modern.at("result", "tools")) {
		t.Error("the eras list different tools")
	}
}

func reads(t *testing.T, r *rig) {
	for era, got := range map[string]reply{
		"before 2026-07-28": r.send(t, sent{body: call("get_activities", `{"limit":3}`)}),
		"2026-07-28":        r.modern(t, "", "tools/call", `"name":"get_activities","arguments":{"limit":3},`, "get_activities"),
	} {
		got.want(t, 200)
		content, _ := got.at("result", "content").([]any)
		if got.failedCall() || athlete(got) == "" || len(content) == 0 {
			t.Errorf("%s: %.300s", era, got.body)
		}
	}
}

func keyArgument(t *testing.T, r *rig) {
	const key = "n0t-a-key-but-looks-like-0ne"
	got := r.send(t, sent{body: call("get_activities", `{"limit":1,"api_key":"`+key+`"}`)})
	got.want(t, 200)
	if strings.Contains(got.body, key) {
		t.Errorf("the key is repeated: %.300s", got.body)
	}
	if !got.failedCall() && athlete(got) == "" {
		t.Errorf("%.300s", got.body)
	}
}

// writes is about the write itself: it is not shown first where the target has
// a connection that confirms nothing.
func writes(t *testing.T, r *rig) {
	const on = "2099-05-05"
	made := r.change(t, r.Never, "add_or_update_event", `{"name":"blackbox plan","category":"NOTE","description":"written by the black-box suite","start_date":"`+on+`"}`)
	id := made.object(t)
	if got := r.day(t, "", on); !strings.Contains(got, "blackbox plan") {
		t.Errorf("not read back: %.300s", got)
	}
	if r.Other != "" {
		if got := r.day(t, r.Other, on); strings.Contains(got, "blackbox plan") {
			t.Error("another user reads it")
		}
		if got := r.send(t, sent{token: r.Other, body: call("delete_event", `{"event_id":"`+id+`"}`)}); !got.failedCall() {
			t.Errorf("another user deletes it: %.300s", got.body)
		}
	}
	r.change(t, r.Never, "delete_event", `{"event_id":"`+id+`"}`)
	if got := r.day(t, "", on); strings.Contains(got, "blackbox plan") {
		t.Errorf("still there: %.300s", got)
	}
}
