package pagestest

import (
	"time"

	"intervals-mcp/internal/oauth/pages"
)

// Nasty is what a client or another person could send as a name: markup that
// would run, a way out of an attribute, and marks that turn text round.
const Nasty = `<script>alert(1)</script>"'><img src=x onerror=alert(2)> {{.}} ` + "\u202Egnp.exe\u202C\u200B\x00\x1b[31m" + ` javascript:alert(3) &lt;b&gt; Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft`

// Hostile fills every text of every page with one text.
func Hostile(origin, x string) []Sample {
	f := pages.Frame{Origin: origin, CSRF: x, Person: &pages.Person{Name: x, Athlete: x, Coach: true}, Notice: pages.Notice{Kind: pages.Problem, Text: x}, Waiting: 1, Zone: x}
	client := pages.Client{Name: x, Host: x}
	may := pages.Permissions{Write: true, Full: true, Confirm: x}
	people := []pages.Athlete{{ID: x, Name: x, Chosen: true}, {ID: x}}
	objects := []pages.Object{
		{Kind: x, ID: x, Title: x, Action: x, Status: x, Undo: "partly (" + x + ")", Fields: []pages.Field{{Label: x, Old: x, New: x + "\n" + x}, {Label: x, Old: "1", New: x[:min(len(x), 30)]}}},
		{Kind: x, Action: "delete", Undo: x},
	}
	p := pages.Pending{ID: x, Client: x, Athlete: x, Summary: x, Warnings: []string{x}, Objects: objects, Asked: Now, Expires: Now.Add(time.Minute)}
	e := pages.Entry{ID: x, When: Now, Client: x, By: x, Athlete: x, Summary: x, Status: x, Reason: x, Warnings: []string{x}, Objects: objects, CanUndo: true, Undid: x, UndoneBy: x}
	connection := pages.Connection{ID: x, Client: client, Permissions: may, Athletes: people, Created: Now, LastUsed: Now}
	return []Sample{
		{"hostile-landing", 200, &pages.Landing{Frame: f, MCPURL: x}},
		{"hostile-signin", 200, &pages.SignIn{Frame: f, Client: &client, Next: x, Invitation: x, IntervalsURL: x, Problem: pages.SignInProblem(x)}},
		{"hostile-invite", 200, &pages.Invite{Frame: f, Code: x, From: x, IntervalsURL: x}},
		{"hostile-consent", 200, &pages.Consent{Frame: f, Client: client, ReturnTo: "http://localhost:1/cb", Flow: x, MayWrite: true, Choice: may, Athletes: people, Problem: x}},
		{"hostile-consent-verified", 200, &pages.Consent{Frame: f, Client: pages.Client{Name: x, Host: x, Verified: true}, ReturnTo: "https://example.com/cb", Flow: x}},
		{"hostile-connections", 200, &pages.Connections{Frame: f, Connections: []pages.Connection{connection}, MCPURL: x}},
		{"hostile-connection", 200, &pages.EditConnection{Frame: f, Connection: connection, MayWrite: true, Athletes: people, Problem: x}},
		{"hostile-tokens", 200, &pages.Tokens{Frame: f, MCPURL: x, Problem: x, Form: pages.TokenForm{Label: x, Permissions: may, Athletes: people},
			Tokens: []pages.Token{{ID: x, Label: x, Permissions: may, Athletes: people, Created: Now}}, Fresh: &pages.FreshToken{Label: x}}},
		{"hostile-key", 200, &pages.Key{Frame: f, Test: pages.KeyTest(x), Problem: pages.SignInProblem(x)}},
		{"hostile-mine", 200, &pages.Mine{Frame: f}},
		{"hostile-deleted", 200, &pages.Deleted{Frame: f}},
		{"hostile-changes", 200, &pages.Changes{Frame: f, Pending: []pages.Pending{p, p}, Now: Now}},
		{"hostile-change", 200, &pages.Change{Frame: f, Pending: p, Now: Now}},
		{"hostile-history", 200, &pages.History{Frame: f, Entries: []pages.Entry{e, e}, Older: x, Newest: x}},
		{"hostile-entry", 200, &pages.HistoryEntry{Frame: f, Entry: e}},
		{"hostile-outcome", 200, &pages.Outcome{Frame: f, Verb: pages.Verb(x), Status: x, ChangeID: x, Summary: x, Reason: x, Warnings: []string{x}, Objects: objects, Now: Now}},
		{"hostile-outcome-again", 200, &pages.Outcome{Frame: f, Verb: pages.Verb(x), Status: x, Reason: x, Again: &p, Now: Now}},
		{"hostile-failure", 500, &pages.Failure{Frame: f, Kind: pages.FailureKind(x), RequestID: x, Back: x}},
	}
}
