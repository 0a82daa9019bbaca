package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ours are the tools of the change protocol.
var ours = []string{"confirm_change", "list_changes", "undo_change"}

// compatible are the tools of the Python reference server.
var compatible = []string{
	"get_activities", "get_activity_details", "get_activity_intervals", "get_activity_streams", "get_activity_messages",
	"add_activity_message", "get_events", "get_event_by_id", "delete_event", "delete_events_by_date_range",
	"add_or_update_event", "add_or_update_note", "get_wellness_data", "get_athlete_power_curves", "get_gear_list",
	"get_custom_items", "get_custom_item_by_id", "create_custom_item", "update_custom_item", "delete_custom_item",
}

var flags = []string{"--demo", "--toolset", "full"}

func TestTheGoSDKsClientCallsEveryCompatibleToolOverHTTP(t *testing.T) {
	url, token := serve(t, build(t))
	connect(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}).tour()
}

func TestTheGoSDKsClientCallsEveryCompatibleToolOverStdio(t *testing.T) {
	cmd := exec.Command(build(t), append([]string{"stdio"}, flags...)...)
	connect(t, &mcp.CommandTransport{Command: cmd}).tour()
}

// build makes the program as it is shipped.
func build(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "intervals-mcp")
	cmd := exec.Command("go", "build", "-o", out, "intervals-mcp/cmd/intervals-mcp")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return out
}

// serve starts the program and waits for its ready file; at the end it must
// stop cleanly on an interrupt.
func serve(t *testing.T, program string) (url, token string) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready.json")
	cmd := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "--ready-file", ready}, flags...)...)
	var log bytes.Buffer // what is said on stdout is for the person who started it
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve after an interrupt: %v\n%s", err, &log)
		}
		if token != "" && strings.Contains(log.String(), token) {
			t.Error("the token stands in the log")
		}
	})
	for range 200 {
		var at struct{ URL, Token string }
		if b, err := os.ReadFile(ready); err == nil && json.Unmarshal(b, &at) == nil {
			return at.URL, at.Token
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("serve is not ready")
	return "", ""
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// session is one connection and what has been tried on it.
type session struct {
	t       *testing.T
	ctx     context.Context
	conn    *mcp.ClientSession
	schemas map[string]*jsonschema.Schema
	tried   map[string]bool
}

func connect(t *testing.T, transport mcp.Transport) *session {
	t.Helper()
	return connectAs(t, transport, nil, nil)
}

func connectAs(t *testing.T, transport mcp.Transport, client *mcp.ClientOptions, options *mcp.ClientSessionOptions) *session {
	t.Helper()
	conn, err := mcp.NewClient(&mcp.Implementation{Name: "sdk-check", Version: "1.0.0"}, client).Connect(t.Context(), transport, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := &session{t: t, ctx: t.Context(), conn: conn, schemas: map[string]*jsonschema.Schema{}, tried: map[string]bool{}}
	for tool, err := range conn.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		s.schemas[tool.Name] = compile(t, tool.Name, tool.OutputSchema)
	}
	return s
}

func compile(t *testing.T, name string, schema any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///"+name, plain(t, schema)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain gives a value as it came over the wire.
func plain(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

type args = map[string]any

// call calls a tool, which must succeed and meet its schema.
func (s *session) call(name string, in args) map[string]any {
	s.t.Helper()
	r, err := s.conn.CallTool(s.ctx, &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	text := ""
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	if r.IsError || text == "" {
		s.t.Fatalf("%s(%v): %s", name, in, text)
	}
	schema := s.schemas[name]
	if schema == nil {
		s.t.Fatalf("%s is not offered", name)
	}
	if err := schema.Validate(plain(s.t, r.StructuredContent)); err != nil {
		s.t.Errorf("%s: %v", name, err)
	}
	s.tried[name] = true
	out, ok := r.StructuredContent.(map[string]any)
	if !ok {
		s.t.Fatalf("%s: no structured result", name)
	}
	return out
}

// change calls a tool that shows first what it would do, and confirms that.
func (s *session) change(name string, in args) map[string]any {
	s.t.Helper()
	p := s.call(name, in)
	if p["status"] != "preview" {
		s.t.Fatalf("%s(%v) is %v, not shown first", name, in, p["status"])
	}
	done := s.call("confirm_change", args{"confirmation": p["confirmation"], "summary": p["summary"]})
	if done["status"] != "applied" {
		s.t.Fatalf("%s(%v), confirmed, is %v", name, in, done)
	}
	return done
}

// id reads the id of the object under one of these keys.
func (s *session) id(in map[string]any, kinds ...string) string {
	s.t.Helper()
	for _, kind := range kinds {
		if object, ok := in[kind].(map[string]any); ok && object["id"] != nil {
			if n, ok := object["id"].(float64); ok {
				return strconv.FormatFloat(n, 'f', -1, 64)
			}
			return fmt.Sprint(object["id"])
		}
	}
	s.t.Fatalf("no id under %v in %v", kinds, in)
	return ""
}

// tour calls every tool, as a person's session might, each change shown first
// and confirmed, and cleans up.
func (s *session) tour() {
	t := s.t
	activities, _ := s.call("get_activities", args{"limit": 30})["activities"].([]any)
	i := slices.IndexFunc(activities, func(a any) bool {
		a1, _ := a.(map[string]any)
		return strings.Contains(fmt.Sprint(a1["type"]), "Ride")
	})
	if i < 0 {
		t.Fatal("the demo athlete did not ride")
	}
	ride := activities[i].(map[string]any)["id"]
	for _, name := range []string{"get_activity_details", "get_activity_intervals", "get_activity_streams"} {
		s.call(name, args{"activity_id": ride})
	}
	s.change("add_activity_message", args{"activity_id": ride, "content": "Legs felt good."})
	if m := s.call("get_activity_messages", args{"activity_id": ride}); !strings.Contains(fmt.Sprint(m), "Legs felt good.") {
		t.Errorf("the message that was added is not there: %v", m)
	}

	s.call("get_events", nil)
	event := s.id(s.change("add_or_update_event", args{"workout_type": "Ride", "name": "SDK ride", "moving_time": 3600, "start_date": "+200d"}), "event")
	if e := s.call("get_event_by_id", args{"event_id": event}); !strings.Contains(fmt.Sprint(e), "SDK ride") {
		t.Errorf("the event that was made is not there: %v", e)
	}
	s.change("delete_event", args{"event_id": event})
	s.change("add_or_update_note", args{"name": "SDK note", "description": "To be removed with its day.", "start_date": "+200d"})
	s.change("add_or_update_event", args{"workout_type": "Run", "name": "SDK run", "moving_time": 1800, "start_date": "+200d"})
	s.change("delete_events_by_date_range", args{"start_date": "+200d", "end_date": "+200d"})

	s.call("get_wellness_data", nil)
	s.call("get_athlete_power_curves", nil)
	s.call("get_gear_list", nil)
	item := s.id(s.change("create_custom_item", args{"name": "SDK field", "item_type": "INPUT_FIELD",
		"content": args{"code": "SdkField", "type": "numeric"}}), "item", "custom_item")
	s.call("get_custom_items", nil)
	s.call("get_custom_item_by_id", args{"item_id": item})
	s.change("update_custom_item", args{"item_id": item, "name": "SDK field, renamed"})
	s.change("delete_custom_item", args{"item_id": item})

	changes, _ := s.call("list_changes", nil)["changes"].([]any)
	if len(changes) < 9 {
		t.Fatalf("%d changes are listed", len(changes))
	}
	last, _ := changes[0].(map[string]any)
	back := s.change("undo_change", args{"change_id": last["change_id"]})
	s.change("undo_change", args{"change_id": fmt.Sprint(back["change_id"])})

	for _, name := range slices.Concat(compatible, ours) {
		if !s.tried[name] {
			t.Errorf("%s was not called", name)
		}
	}
}
