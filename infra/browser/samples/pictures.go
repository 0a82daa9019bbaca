package main

import (
	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/oauth/pages/pagestest"
)

// pictures are pages of a deployment as docs/connect shows them: to Claude and
// ChatGPT in the web a demo on this machine is out of reach.
func pictures(origin string) map[string]pages.Page {
	frame := pages.Frame{Origin: origin, CSRF: "x"}
	signed := frame
	signed.Person = &pages.Person{Name: "Jonas Falkenrath", Athlete: "i100001"}
	signed.Zone = "Europe/Berlin"
	claude := pages.Client{Name: "Claude", Host: "claude.ai", Verified: true}
	chatgpt := pages.Client{Name: "ChatGPT", Host: "chatgpt.com", Verified: true}
	ask := func(c pages.Client, back string) *pages.Consent {
		return &pages.Consent{Frame: signed, Client: c, ReturnTo: back, Flow: "f", MayWrite: true, Choice: pages.Permissions{Write: true, Confirm: "all"}}
	}
	return map[string]pages.Page{
		"landing":         &pages.Landing{Frame: frame, MCPURL: origin + "/mcp"},
		"signin-claude":   &pages.SignIn{Frame: frame, Client: &claude, Next: "/authorize?f"},
		"signin-chatgpt":  &pages.SignIn{Frame: frame, Client: &chatgpt, Next: "/authorize?f"},
		"consent-claude":  ask(claude, "https://claude.ai/api/mcp/auth_callback"),
		"consent-chatgpt": ask(chatgpt, "https://chatgpt.com/connector/oauth/x"),
		"connections": &pages.Connections{Frame: signed, MCPURL: origin + "/mcp", Connections: []pages.Connection{
			{ID: "1", Client: claude, Permissions: pages.Permissions{Write: true, Confirm: "all"}, Created: pagestest.Now.AddDate(0, -1, 0), LastUsed: pagestest.Now},
			{ID: "2", Client: chatgpt, Created: pagestest.Now.AddDate(0, 0, -12), LastUsed: pagestest.Now.AddDate(0, 0, -2)}}},
	}
}
