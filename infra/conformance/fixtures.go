package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A 1x1 PNG and an empty WAV, the smallest there are.
const (
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
)

type (
	callResult = mcp.CallToolResult
	call       = mcp.CallToolRequest
)

// fixtures adds what the suite calls by name. Each does what the scenario of
// that name describes and nothing else.
func fixtures(s *server.MCPServer) {
	contentTools(s)
	talkingTools(s)
	askingTools(s)
	resources(s)
	prompts(s)
}

// tool adds a tool without parameters.
func tool(s *server.MCPServer, name, description string, h server.ToolHandlerFunc) {
	rawTool(s, name, description, `{"type":"object","properties":{}}`, h)
}

func rawTool(s *server.MCPServer, name, description, schema string, h server.ToolHandlerFunc) {
	s.AddTool(mcp.NewToolWithRawSchema(name, description, json.RawMessage(schema)), h)
}

func says(content ...mcp.Content) server.ToolHandlerFunc {
	return func(context.Context, call) (*callResult, error) { return &callResult{Content: content}, nil }
}

func text(s string) *callResult { return mcp.NewToolResultText(s) }

func contentTools(s *server.MCPServer) {
	image := mcp.NewImageContent(png, "image/png")
	tool(s, "test_simple_text", "Answers with text.", says(mcp.NewTextContent("This is a simple text response for testing.")))
	tool(s, "test_image_content", "Answers with a picture.", says(image))
	tool(s, "test_audio_content", "Answers with sound.", says(mcp.NewAudioContent(wav, "audio/wav")))
	tool(s, "test_embedded_resource", "Answers with a resource.", says(mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."})))
	tool(s, "test_multiple_content_types", "Answers with three kinds of content.", says(mcp.NewTextContent("Multiple content types test:"), image,
		mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`})))
	tool(s, "test_error_handling", "Always fails.", func(context.Context, call) (*callResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	rawTool(s, "json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`,
		says(mcp.NewTextContent("ok")))
	rawTool(s, "test_custom_header", "Takes one parameter that is also a header.",
		`{"type":"object","properties":{"query":{"type":"string","x-mcp-header":"Query"}}}`, says(mcp.NewTextContent("ok")))
}

// talkingTools send notifications while they run.
func talkingTools(s *server.MCPServer) {
	pause := func() { time.Sleep(50 * time.Millisecond) }
	tool(s, "test_tool_with_progress", "Reports its progress.", func(ctx context.Context, r call) (*callResult, error) {
		for _, progress := range []int{0, 50, 100} {
			if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
				_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
					"progressToken": r.Params.Meta.ProgressToken, "progress": progress, "total": 100})
			}
			pause()
		}
		return text("Done."), nil
	})
	logs := func(ctx context.Context, _ call) (*callResult, error) {
		for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			_ = s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "conformance", line))
			pause()
		}
		return text("Done."), nil
	}
	tool(s, "test_tool_with_logging", "Logs while it runs.", logs)
	tool(s, "test_logging_tool", "Logs while it runs.", logs)
	changed := func(method string) server.ToolHandlerFunc {
		return func(ctx context.Context, _ call) (*callResult, error) {
			_ = s.SendNotificationToClient(ctx, method, nil)
			return text("Done."), nil
		}
	}
	tool(s, "test_trigger_tool_change", "Says that the list of tools changed.", changed(mcp.MethodNotificationToolsListChanged))
	tool(s, "test_trigger_prompt_change", "Says that the list of prompts changed.", changed(mcp.MethodNotificationPromptsListChanged))
}

// form is what a person is asked: a schema with properties, all required.
func form(message string, properties map[string]any) mcp.ElicitationParams {
	required := make([]string, 0, len(properties))
	for name := range properties {
		required = append(required, name)
	}
	return mcp.ElicitationParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": properties, "required": required}}
}

func one(name, kind string) map[string]any { return map[string]any{name: map[string]any{"type": kind}} }

func sample(prompt string, maxTokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: maxTokens, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}}}
}

// answered reads one field of a form that the person accepted.
func answered(r call, id, field string) (string, bool) {
	e := mcp.ElicitationResult{}
	if got := server.ElicitationResponse(r.Params.InputResponses, id); got != nil {
		e = *got
	}
	content, _ := e.Content.(map[string]any)
	v, ok := content[field]
	return fmt.Sprint(v), ok && e.Action == mcp.ElicitationResponseActionAccept
}

// asks adds a tool that asks what b wants until done has words for the end.
func asks(s *server.MCPServer, name string, b *server.InputRequestBuilder, done func(r call) string) {
	tool(s, name, "Asks the client before it answers.", func(_ context.Context, r call) (*callResult, error) {
		if words := done(r); words != "" {
			return text(words), nil
		}
		return b.ToolResult(), nil
	})
}

func askingTools(s *server.MCPServer) {
	ask := server.NewInputRequestBuilder
	name := form("What is your name?", one("name", "string"))

	asks(s, "test_input_required_result_elicitation", ask("").Elicit("user_name", name), func(r call) string {
		if who, ok := answered(r, "user_name", "name"); ok {
			return "Hello, " + who + "!"
		}
		return ""
	})
	asks(s, "test_input_required_result_sampling", ask("").Sample("capital_question", sample("What is the capital of France?", 100)), func(r call) string {
		if a := server.SamplingResponse(r.Params.InputResponses, "capital_question"); a != nil {
			return fmt.Sprint("The model said: ", a.Content)
		}
		return ""
	})
	asks(s, "test_input_required_result_list_roots", ask("").Roots("client_roots"), func(r call) string {
		if a := server.RootsResponse(r.Params.InputResponses, "client_roots"); a != nil {
			return fmt.Sprint("Roots: ", a.Roots)
		}
		return ""
	})
	asks(s, "test_input_required_result_multiple_inputs",
		ask("all").Elicit("user_name", name).Sample("greeting", sample("Generate a greeting", 50)).Roots("client_roots"), func(r call) string {
			got := r.Params.InputResponses
			if server.ElicitationResponse(got, "user_name") != nil && server.SamplingResponse(got, "greeting") != nil && server.RootsResponse(got, "client_roots") != nil {
				return "All three are here."
			}
			return ""
		})
	signedTools(s)
	tool(s, "test_input_required_result_multi_round", "Asks twice.", func(_ context.Context, r call) (*callResult, error) {
		if _, ok := answered(r, "step2", "color"); ok {
			return text("Both steps are done."), nil
		}
		if _, ok := answered(r, "step1", "name"); ok {
			return ask("round 2").Elicit("step2", form("Step 2: What is your favorite color?", one("color", "string"))).ToolResult(), nil
		}
		return ask("round 1").Elicit("step1", form("Step 1: What is your name?", one("name", "string"))).ToolResult(), nil
	})
	tool(s, "test_input_required_result_capabilities", "Asks only what the client can answer.", func(ctx context.Context, _ call) (*callResult, error) {
		b := ask("")
		has := &mcp.ClientCapabilities{}
		if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil {
			has = info.ClientCapabilities
		}
		if has.Sampling != nil {
			b.Sample("model", sample("Say hello.", 50))
		}
		if has.Elicitation != nil {
			b.Elicit("person", name)
		}
		return b.ToolResult(), nil
	})
	tool(s, "test_missing_capability", "Needs sampling.", func(ctx context.Context, _ call) (*callResult, error) {
		if info := server.RequestProtocolInfoFromContext(ctx); info == nil || info.ClientCapabilities == nil || info.ClientCapabilities.Sampling == nil {
			return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
		}
		return text("The client has sampling."), nil
	})
	asks(s, "test_streaming_elicitation", ask("").Elicit("user_name", name), func(call) string { return "" })
	olderEra(s)
}

// signedTools keep state with the client, as only the holder of key can write
// it.
func signedTools(s *server.MCPServer) {
	key := []byte(rand.Text())
	sign := func(state string) string {
		m := hmac.New(sha256.New, key)
		m.Write([]byte(state))
		return state + "." + hex.EncodeToString(m.Sum(nil))
	}
	confirm := form("Please confirm", one("ok", "boolean"))
	for _, name := range []string{"test_input_required_result_request_state", "test_input_required_result_tampered_state"} {
		tool(s, name, "Keeps signed state with the client.", func(_ context.Context, r call) (*callResult, error) {
			state := sign(name)
			switch r.Params.RequestState {
			case "":
				return server.NewInputRequestBuilder(state).Elicit("confirm", confirm).ToolResult(), nil
			case state:
				return text("state-ok"), nil
			}
			return nil, errors.New("the request state is not one of this server's")
		})
	}
}

// olderEra are the tools that ask over a session, as versions before
// 2026-07-28 did. A stateless server has none, and says so at once.
func olderEra(s *server.MCPServer) {
	for name, param := range map[string]string{"test_sampling": "prompt", "test_elicitation": "message", "test_elicitation_sep1034_defaults": "", "test_elicitation_sep1330_enums": ""} {
		schema := `{"type":"object","properties":{}}`
		if param != "" {
			schema = fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"}},"required":[%q]}`, param, param)
		}
		rawTool(s, name, "Asks the client over its session.", schema, func(context.Context, call) (*callResult, error) {
			return server.NewInputRequestBuilder("").Elicit("q", form("Please answer", one("a", "string"))).ToolResult(), nil
		})
	}
}

func resources(s *server.MCPServer) {
	add := func(uri, mime string, c mcp.ResourceContents) {
		s.AddResource(mcp.NewResource(uri, strings.TrimPrefix(uri, "test://"), mcp.WithResourceDescription("Fixture "+uri), mcp.WithMIMEType(mime)),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{c}, nil
			})
	}
	add("test://static-text", "text/plain", mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	add("test://static-binary", "image/png", mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: png})
	add("test://watched-resource", "text/plain", mcp.TextResourceContents{URI: "test://watched-resource", MIMEType: "text/plain", Text: "This one could be watched."})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateDescription("Fixture with a parameter"), mcp.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)}}, nil
		})
}

func prompts(s *server.MCPServer) {
	user := func(c ...mcp.Content) *mcp.GetPromptResult {
		r := &mcp.GetPromptResult{}
		for _, c := range c {
			r.Messages = append(r.Messages, mcp.NewPromptMessage(mcp.RoleUser, c))
		}
		return r
	}
	add := func(name string, args []string, build func(r mcp.GetPromptRequest) *mcp.GetPromptResult) {
		opts := []mcp.PromptOption{mcp.WithPromptDescription("Fixture " + name)}
		for _, a := range args {
			opts = append(opts, mcp.WithArgument(a, mcp.ArgumentDescription("Fixture "+a), mcp.RequiredArgument()))
		}
		s.AddPrompt(mcp.NewPrompt(name, opts...), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return build(r), nil })
	}
	add("test_simple_prompt", nil, func(mcp.GetPromptRequest) *mcp.GetPromptResult {
		return user(mcp.NewTextContent("This is a simple prompt for testing."))
	})
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(r mcp.GetPromptRequest) *mcp.GetPromptResult {
		return user(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", r.Params.Arguments["arg1"], r.Params.Arguments["arg2"])))
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(r mcp.GetPromptRequest) *mcp.GetPromptResult {
		return user(mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: r.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
			mcp.NewTextContent("Please process the embedded resource above."))
	})
	add("test_prompt_with_image", nil, func(mcp.GetPromptRequest) *mcp.GetPromptResult {
		return user(mcp.NewImageContent(png, "image/png"), mcp.NewTextContent("Please analyze the image above."))
	})
	add("test_input_required_result_prompt", nil, func(r mcp.GetPromptRequest) *mcp.GetPromptResult {
		if server.ElicitationResponse(r.Params.InputResponses, "user_context") != nil {
			return user(mcp.NewTextContent("The context is known."))
		}
		return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?", one("context", "string"))).PromptResult()
	})
}

// completions answers the one completion that the suite asks for.
type completions struct{}

func (completions) CompletePromptArgument(_ context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{a.Value + "-1"}, Total: 1}, nil
}
