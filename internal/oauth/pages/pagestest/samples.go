package pagestest

import (
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/secrets"
)

// Sample is one page with a name for its address and its pictures.
type Sample struct {
	Name   string
	Status int
	Page   pages.Page
}

// FreshToken is the invented token that the sample "tokens-fresh" shows.
const FreshToken = "imcp_pat_0000000000000000000000000000000000000000000_000000"

var zone = time.FixedZone("CET", 3600)

// Now is the time at which the samples are looked at.
var Now = time.Date(2026, 11, 30, 19, 24, 0, 0, zone)

func ago(d time.Duration) time.Time { return Now.Add(-d) }

const dayLong = 24 * time.Hour

// Samples gives every kind of page, at an origin such as http://127.0.0.1:8080.
func Samples(origin string) []Sample {
	nobody := pages.Frame{Origin: origin, CSRF: "csrf-of-the-sample"}
	signed := nobody
	signed.Person = &pages.Person{Name: "Mara Lindqvist", Athlete: "i48213"}
	signed.Zone, signed.Waiting = "Europe/Stockholm", 2
	coach := signed
	coach.Person = &pages.Person{Name: "Jonas Abegg", Athlete: "i10007", Coach: true}
	done := func(f pages.Frame, text string) pages.Frame {
		f.Notice = pages.Notice{Kind: pages.Done, Text: text}
		return f
	}
	claude := pages.Client{Name: "Claude", Host: "claude.ai", Verified: true}
	url := origin + "/mcp"
	all := pages.Permissions{Write: true, Confirm: "all"}
	list := []Sample{
		{"landing", 200, &pages.Landing{Frame: nobody, MCPURL: url}},
		{"landing-local", 200, &pages.Landing{Frame: signed, MCPURL: url, Local: true, Demo: true}},
		{"signin", 200, &pages.SignIn{Frame: nobody}},
		{"signin-client", 200, &pages.SignIn{Frame: nobody, Client: &claude, Next: "/authorize?flow=f1", IntervalsURL: "/account/signin/intervals"}},
		{"signin-refused", 403, &pages.SignIn{Frame: nobody, Client: &claude, Invitation: "inv1", Problem: pages.SignInRefused}},
		{"invite", 200, &pages.Invite{Frame: nobody, Code: "c0de", From: "Velo Club Zürich", Expires: Now.Add(7 * dayLong), IntervalsURL: "/account/signin/intervals"}},
		{"invite-over", 404, &pages.Invite{Frame: nobody}},
		{"consent", 200, &pages.Consent{Frame: signed, Client: claude, ReturnTo: "https://claude.ai/api/mcp/auth_callback", Flow: "f1", MayWrite: true, Choice: all}},
		{"consent-localhost", 200, &pages.Consent{Frame: signed, Client: pages.Client{Name: "Cursor"}, ReturnTo: "http://localhost:8123/callback", Flow: "f1", MayWrite: true, Again: true}},
		{"consent-reader", 200, &pages.Consent{Frame: signed, Client: pages.Client{Name: "Training Wall", Host: "wall.example"}, ReturnTo: "https://wall.example/cb", Flow: "f1"}},
		{"consent-coach", 200, &pages.Consent{Frame: coach, Client: claude, ReturnTo: "https://claude.ai/api/mcp/auth_callback", Flow: "f1", MayWrite: true,
			Choice: pages.Permissions{Write: true, Full: true, Confirm: "person"}, Athletes: athletes(14), Problem: "Choose at least one athlete."}},
		{"connections", 200, &pages.Connections{Frame: done(signed, "Claude may now read and write"), MCPURL: url, Connections: connections(claude)}},
		{"connections-none", 200, &pages.Connections{Frame: signed, MCPURL: url}},
		{"connection", 200, &pages.EditConnection{Frame: coach, MayWrite: true, Connection: connections(claude)[0], Athletes: athletes(5)}},
		{"tokens", 200, &pages.Tokens{Frame: signed, MCPURL: url, Tokens: tokens(), Form: pages.TokenForm{Days: 90}}},
		{"tokens-fresh", 200, &pages.Tokens{Frame: signed, MCPURL: url, Tokens: tokens()[:1], Form: pages.TokenForm{Days: 90},
			Fresh: &pages.FreshToken{Label: "Cursor on my laptop", Value: secrets.New(FreshToken)}}},
		{"tokens-none", 200, &pages.Tokens{Frame: signed, MCPURL: url, Form: pages.TokenForm{Days: 0, Permissions: all}, Problem: "Say what the token is for."}},
		{"key", 200, &pages.Key{Frame: signed, Stored: ago(40 * dayLong), Test: pages.KeyGood}},
		{"key-refused", 200, &pages.Key{Frame: signed, Stored: ago(40 * dayLong), Test: pages.KeyRefused, Problem: pages.SignInEmpty}},
		{"key-none", 200, &pages.Key{Frame: signed}},
		{"mine", 200, &pages.Mine{Frame: signed, Connections: 3, Tokens: 1, AuditDays: 400}},
		{"mine-untyped", 400, &pages.Mine{Frame: signed, AuditDays: 400, Problem: true}},
		{"deleted", 200, &pages.Deleted{Frame: nobody, AuditDays: 400}},
	}
	list = append(list, changeSamples(signed)...)
	for _, k := range []pages.FailureKind{pages.BadRequest, pages.FormExpired, pages.UnknownClient, pages.BadReturn, pages.ClientGone, pages.Forbidden,
		pages.NotFound, pages.ChangeGone, pages.WrongMethod, pages.TooLarge, pages.Throttled, pages.Internal, pages.Unavailable, pages.Upstream} {
		list = append(list, Sample{"failure-" + strings.ReplaceAll(string(k), "_", "-"), k.Status(), &pages.Failure{Frame: nobody, Kind: k, RequestID: "JKJaXmPLvHcESHA="}})
	}
	return append(list, Hostile(origin, Nasty)...)
}

func connections(claude pages.Client) []pages.Connection {
	return []pages.Connection{
		{ID: "c1", Client: claude, Permissions: pages.Permissions{Write: true, Confirm: "all"}, Created: ago(33 * dayLong), LastUsed: ago(2 * time.Hour)},
		{ID: "c2", Client: pages.Client{Name: "ChatGPT", Host: "chatgpt.com", Verified: true}, Permissions: pages.Permissions{Full: true}, Created: ago(12 * dayLong), LastUsed: ago(3 * dayLong)},
		{ID: "c3", Client: pages.Client{Name: "Cursor"}, Permissions: pages.Permissions{Write: true, Full: true, Confirm: "person"}, Created: ago(dayLong), Athletes: athletes(11)},
	}
}

func tokens() []pages.Token {
	return []pages.Token{
		{ID: "t1", Label: "Weekly report script", Created: ago(20 * dayLong), Expires: Now.Add(70 * dayLong), LastUsed: ago(5 * time.Hour)},
		{ID: "t2", Label: "Old laptop", Permissions: pages.Permissions{Write: true, Full: true, Confirm: "destructive"}, Created: ago(200 * dayLong), Expires: ago(110 * dayLong), Expired: true},
		{ID: "t3", Label: "Home Assistant", Created: ago(9 * dayLong)},
	}
}

func athletes(n int) []pages.Athlete {
	names := []string{"Amelie Roth", "Björn Ásgeirsson", "Chidera Okonkwo", "", "Élodie Lefèvre-Montgomery", "فاطمة الزهراء", "山田 太郎"}
	out := make([]pages.Athlete, n)
	for i := range out {
		out[i] = pages.Athlete{ID: fmt.Sprintf("i%d", 20000+i*37), Name: names[i%len(names)], Chosen: i%3 != 2}
	}
	return out
}
