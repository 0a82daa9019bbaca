package mcpserver

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"intervals-mcp/internal/identity"
)

// Short names for the tests.
type (
	ctxt     = context.Context
	request  = *http.Request
	identify = func(request) (identity.Identity, error)
)

func TestOldAndNewVersionsAnswerAtOneURL(t *testing.T) {
	r := newRig(t, nil)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		got := r.post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		wantStatus(t, got, 200)
		if got.at("result", "protocolVersion") != version || got.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %s", version, got.body)
		}
		wantStatus(t, r.post(t, list, "Mcp-Protocol-Version", version), 200)
		if done := r.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Protocol-Version", version); done.StatusCode != 202 || done.body != "" {
			t.Errorf("%s: initialized answered %d %s", version, done.StatusCode, done.body)
		}
	}
	got := r.post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if got.at("result", "protocolVersion") != "2025-11-25" {
		t.Error(got.body)
	}
	got = r.modern(t, "server/discover", "", "")
	wantStatus(t, got, 200)
	versions, _ := got.at("result", "supportedVersions").([]any)
	if !slices.Contains(versions, any("2026-07-28")) || !slices.Contains(versions, any("2025-06-18")) {
		t.Error(got.body)
	}
}

func TestOnlyWhatExistsIsAdvertised(t *testing.T) {
	r := newRig(t, nil)
	old := r.post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	for _, got := range []reply{old, r.modern(t, "server/discover", "", "")} {
		capabilities, _ := got.at("result", "capabilities").(map[string]any)
		if tools, ok := capabilities["tools"].(map[string]any); !ok || len(tools) > 0 || len(capabilities) != 1 {
			t.Errorf("capabilities %v", capabilities)
		}
		if s, _ := got.at("result", "instructions").(string); s == "" {
			t.Error("no instructions")
		}
	}
	for _, method := range []string{"prompts/list", "resources/list", "logging/setLevel", "resources/subscribe", "completion/complete"} {
		got := r.post(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`)
		if got.at("error", "code") != -32601.0 {
			t.Errorf("%s: %s", method, got.body)
		}
	}
}

func TestListsMayBeKeptButNotShared(t *testing.T) {
	r := newRig(t, nil)
	for _, method := range []string{"tools/list", "server/discover"} {
		got := r.modern(t, method, "", "")
		if got.at("result", "cacheScope") != "private" || got.at("result", "ttlMs") != float64(listLife.Milliseconds()) || got.at("result", "resultType") != "complete" {
			t.Errorf("%s: %s", method, got.body)
		}
	}
}

func TestListeningEndsAtOnce(t *testing.T) { // gap h
	r := newRig(t, nil)
	start := time.Now()
	got := r.modern(t, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`, "")
	if time.Since(start) > 2*time.Second || got.StatusCode >= 500 {
		t.Errorf("after %s: %d %s", time.Since(start), got.StatusCode, got.body)
	}
}

func TestAMismatchOfVersionsIsSaidInJSON(t *testing.T) { // gap j
	r := newRig(t, nil)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`
	for _, version := range []string{"", "2025-11-25"} {
		got := r.post(t, body, "Mcp-Protocol-Version", version, "Mcp-Method", "tools/list")
		wantStatus(t, got, 400)
		if got.at("error", "code") != -32020.0 {
			t.Error(got.body)
		}
	}
	got := r.modern(t, "tools/call", `"name":"aa_write"`, "zz_read")
	wantStatus(t, got, 400)
	if got.at("error", "code") != -32020.0 || len(r.caller.calls()) > 0 {
		t.Error(got.body)
	}
}

func TestAVersionHeaderSentTwiceCountsOnce(t *testing.T) { // gap j
	r := newRig(t, nil)
	wantStatus(t, r.post(t, list, "Mcp-Protocol-Version", "2025-11-25, 2025-11-25"), 200)
	wantStatus(t, r.post(t, list, "Mcp-Protocol-Version", "2025-11-25", "Mcp-Protocol-Version", "2025-11-25"), 200)
	wantStatus(t, r.post(t, list, "Mcp-Protocol-Version", "2025-11-25, 2025-06-18"), 400)
	wantStatus(t, r.post(t, list, "Mcp-Protocol-Version", "2025-11-25", "Mcp-Protocol-Version", "2026-07-28"), 400)
}

func TestAnUnknownVersionIsRefusedInJSON(t *testing.T) { // gap m
	r := newRig(t, nil)
	got := r.post(t, list, "Mcp-Protocol-Version", "2020-01-01")
	wantStatus(t, got, 400)
	if m, _ := got.at("error", "message").(string); !strings.Contains(m, "2020-01-01") {
		t.Error(got.body)
	}
	got = r.post(t, strings.ReplaceAll(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`, "2026-07-28", "2099-01-01"),
		"Mcp-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list")
	wantStatus(t, got, 400)
	if got.at("error", "code") != -32022.0 || got.at("error", "data", "supported") == nil {
		t.Error(got.body)
	}
}

func TestAnUnknownMethodIs404ForModernClients(t *testing.T) {
	r := newRig(t, nil)
	got := r.modern(t, "nope/nope", "", "")
	wantStatus(t, got, 404)
	if got.at("error", "code") != -32601.0 {
		t.Error(got.body)
	}
	wantStatus(t, r.post(t, `{"jsonrpc":"2.0","id":1,"method":"nope"}`), 200)
}

func TestMissingMetaIsInvalidParams(t *testing.T) {
	r := newRig(t, nil)
	got := r.post(t, list, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list")
	wantStatus(t, got, 400)
	if got.at("error", "code") != -32602.0 {
		t.Error(got.body)
	}
}

func TestThePinKeepsClientsOnTheOldVersions(t *testing.T) { // gap j: the kill switch
	r := newRig(t, func(o *Options, _ *Edge) { o.LegacyOnly = true })
	got := r.modern(t, "server/discover", "", "")
	wantStatus(t, got, 400)
	supported, _ := got.at("error", "data", "supported").([]any)
	if got.at("error", "code") != -32022.0 || slices.Contains(supported, any("2026-07-28")) || !slices.Contains(supported, any("2025-11-25")) {
		t.Error(got.body)
	}
	wantStatus(t, r.post(t, list, "Mcp-Protocol-Version", "2025-11-25"), 200)
}

// asking is a server with a tool that asks the person something.
func asking(t *testing.T) *rig {
	return newRig(t, func(o *Options, e *Edge) {
		e.Timeout = 3 * time.Second
		o.Extend = func(s *server.MCPServer) {
			s.AddTool(mcp.NewTool("ask"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return server.NewInputRequestBuilder("state").Elicit("ok", mcp.ElicitationParams{Message: "Sure?",
					RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}}).ToolResult(), nil
			})
			s.AddTool(mcp.NewTool("needs"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
			})
		}
	})
}

func TestAQuestionToAnOldClientIsRefusedAtOnce(t *testing.T) { // gap f
	r := asking(t)
	start := time.Now()
	got := r.post(t, call("ask"), "Mcp-Protocol-Version", "2025-11-25")
	wantStatus(t, got, 200)
	if got.at("result", "isError") != true || time.Since(start) > time.Second {
		t.Errorf("after %s: %s", time.Since(start), got.body)
	}
}

func TestAQuestionWithoutTheCapabilityIs32021(t *testing.T) { // gap g
	r := asking(t)
	for tool, capability := range map[string]string{"ask": "elicitation", "needs": "sampling"} {
		got := r.modern(t, "tools/call", `"name":"`+tool+`"`, tool)
		wantStatus(t, got, 400)
		if got.at("error", "code") != -32021.0 || got.at("error", "data", "requiredCapabilities", capability) == nil || got.at("id") != 1.0 {
			t.Errorf("%s: %s", tool, got.body)
		}
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask",` + strings.Replace(modernMeta, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1) + `}}`
	got := r.post(t, body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "ask")
	wantStatus(t, got, 200)
	if got.at("result", "resultType") != "input_required" {
		t.Error(got.body)
	}
}

func TestSmallOdditiesOfMessages(t *testing.T) { // gaps l, m
	r := newRig(t, nil)
	if got := r.post(t, `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`); got.StatusCode != 202 {
		t.Errorf("a null id: %d %s", got.StatusCode, got.body)
	}
	if got := r.post(t, `{"jsonrpc":"2.0","id":1,"result":{}}`); got.StatusCode != 202 {
		t.Errorf("a client's answer: %d %s", got.StatusCode, got.body)
	}
	for _, id := range []string{`"a"`, `7`, `"07"`, `9007199254740991`} {
		got := r.post(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		if !strings.Contains(got.body, `"id":`+id) {
			t.Errorf("id %s: %s", id, got.body)
		}
	}
}
