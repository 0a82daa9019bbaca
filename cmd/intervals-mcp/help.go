package main

import "strings"

// about is one command in the help: its lines there, and what its flags mean,
// which only its own --help says.
type about struct{ name, usage, flags string }

var commands = []about{
	{"serve", `  intervals-mcp serve   [--addr 127.0.0.1:8765] [--data DIR] [--demo] [--toolset core|full] [--scope read|write]
                        [--confirm all|destructive|never|person] [--now TIME] [--insecure-any-interface] [--ready-file PATH]
`, `  --addr HOST:PORT          where to listen
  --insecure-any-interface  let --addr be open to other machines; the token then travels in the clear
  --ready-file PATH         written when requests are answered: JSON with url, token and pid
` + startFlags},
	{"stdio", `  intervals-mcp stdio   [--data DIR] [--demo] [--toolset core|full] [--scope read|write]
                        [--confirm all|destructive|never] [--now TIME]
`, startFlags},
	{"fake", `  intervals-mcp fake    [--addr 127.0.0.1:8766] [--now TIME] [--load FILE] [--ready-file PATH]
`, `A fake Intervals.icu to try things on. What is changed in it is gone when it stops.
  --addr HOST:PORT   where to listen
  --load FILE        other athletes than the invented ones: a data set in JSON, as internal/intervals/fake reads it
  --now TIME         its clock stands at this time, such as 2026-07-15T12:30:00Z
  --ready-file PATH  written when requests are answered: JSON with url, pid and the athletes with their keys
`},
	{"version", `  intervals-mcp version
`, ""},
	{"users", `
  intervals-mcp users  add --athlete ID [--name NAME] [--coach]    (the key comes from a prompt or from stdin)
  intervals-mcp users  invite [--athlete ID] [--coach] [--days N] [--from NAME] [--url URL]
  intervals-mcp users  list | show U | remove U
`, `  --athlete ID  whose key it is, such as i12345; the user gets this name too. Again for a new key
  --name NAME   how lists call the user
  --coach       the key also reaches the athletes whom it coaches now

invite prints a link, once: whoever opens it enrols with their own key, which you never see.
  --athlete ID  only this athlete can use it
  --coach       they become a coach of those whom their key then reaches
  --days N      how long it is good: 1 to 30, 7 unless said
  --from NAME   who invites, as the page says it
  --url URL     where the deployment is, unless it is a stack's own address or serve on 127.0.0.1:8765
` + placeFlags},
	{"tokens", `  intervals-mcp tokens create --user U --days 30|90|365|never --scope read|write [--toolset core|full]
                       [--confirm all|destructive|never|person] [--athletes ID,ID] [--label TEXT]
  intervals-mcp tokens list [--user U] | revoke ID | revoke --all --user U
`, `  --user U          whose; users list shows them, local is this machine's own
  --days N          when the token ends: after 30, 90 or 365 days, or never
  --scope read      leaves out every tool that writes
  --toolset full    offers all tools
  --athletes ID,ID  of those whom a coach reaches, these only
  --confirm WHICH   ` + confirmText + `
  --label TEXT      what the token is for, in lists
  --all             with revoke: every token and every connection of the user
` + placeFlags},
	{"connections", `  intervals-mcp connections list [--user U] | revoke ID
`, `What people connected by signing in from a client (Claude, ChatGPT ...), and ending it. The host is where the client's
person was sent back to; its name is only what the client says of itself.
  --user U  those of one user
` + placeFlags},
	{"audit", `  intervals-mcp audit  list [--user U] [--athlete ID] [--day YYYY-MM-DD] [--days N] [--limit N] [--before ID] | show ID
  intervals-mcp audit  orphans [--resolve] | export --format jsonl|csv [--output FILE] | purge --user U
`, `  list     changes, newest first: 50 of the last 30 days, unless --limit and --days say otherwise; --day is a day in UTC,
           --before ID goes on where a list was cut
  show     one change: who asked for what, the values before and after, what undid it
  orphans  changes whose end nobody knows: what was meant, and what stands now in Intervals.icu. With --resolve the
           outcomes that are missing are written to the log
  export   every change, to stdout or to a file
  purge    deletes all entries of a user for good
` + placeFlags},
	{"undo", `  intervals-mcp undo   ID [ID ...] [--user U] [--yes]
`, `Takes changes back: what was created is deleted, what was deleted is created again (with a new id), what was changed
gets its old values. It shows what would be done, asks, and is itself in the log and can be undone. Several are taken
back as one; audit list shows the ids. The key is the user's own; that of this machine's user is API_KEY.
  --user U  whose change it is, which finds it sooner
  --yes     without a question; but what somebody changed since is undone on a terminal only
` + placeFlags},
	{"doctor", `  intervals-mcp doctor [--stack NAME | --url URL] [--token]
`, `Checks each part and says what to do. Exit status 1: something is wrong.
  --url URL  a deployment as a client meets it
  --token    ask for a token and try it; without a question: the variable INTERVALS_MCP_TOKEN
` + placeFlags},
}

const (
	// confirmText is as wide as the longest list of flags lets it be.
	confirmText = `which changes are shown before they are made, and made once the assistant confirms them: all (default),
                    destructive (deletes, replacing what is there, several objects at once, messages to others) or never.
                    person: the assistant only proposes, and nothing is written until you approve it on the account page;
                    stdio has no page. Some changes are always shown, such as the undo of what was changed since`
	startFlags = `  --data DIR        where token, audit log and users are kept; default: intervals-mcp in the user's data folder
  --demo            the invented athlete, also when API_KEY is set; without --data nothing is kept
  --toolset full    offer all tools, not only those of every day
  --scope read      leave out every tool that writes
  --confirm WHICH   ` + confirmText + `
  --now TIME        for tests: the clock stands at this time, such as 2026-07-15T12:30:00Z

` + environment
	placeFlags = `
` + places
	places = `These work on this machine's data ([--data DIR]) or on a stack in AWS (--stack NAME [--region R] [--profile P]); --json is
for programs, --yes answers questions.
`
	environment = `Environment: API_KEY (Intervals.icu: Settings, Developer settings; without it the demo athlete answers), ATHLETE_ID,
INTERVALS_API_BASE_URL, LOG_LEVEL (debug, info, warn, error). MCP_LEGACY_ONLY=true hides protocol version 2026-07-28.
`
)

// help is what --help prints: the command's own page if one is named, else all
// commands.
func help(args []string) string {
	var all strings.Builder
	page := map[string]string{}
	for _, c := range commands {
		all.WriteString(c.usage)
		page[c.name] = strings.TrimPrefix(c.usage, "\n") + "\n" + c.flags
	}
	for _, arg := range args {
		if page[arg] != "" {
			return page[arg]
		}
	}
	return "intervals-mcp: your Intervals.icu training data for AI assistants (MCP)\n\n" + all.String() + places +
		"`intervals-mcp COMMAND --help` says what its flags mean.\n\n" + environment
}
