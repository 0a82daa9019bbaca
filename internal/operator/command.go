package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

// Process is what the commands get from the program and from outside.
type Process struct {
	Command string   // users, tokens, connections, audit, undo or doctor
	Args    []string // what follows it
	Getenv  func(string) string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Now     func() time.Time

	UserAgent string            // towards Intervals.icu
	Transport http.RoundTripper // nil = the network

	// Folder opens a data folder; "" is the user's own. Unless it may be made,
	// one that is not there is Misuse. Nil: not in this program.
	Folder func(dir string, mayMake bool) (*Stores, error)
	// Stack opens a stack. Nil: not in this program, HandOver runs another one
	// with the same arguments.
	Stack    func(ctx context.Context, name StackName) (*Stores, error)
	HandOver func() error
}

// Misuse is what the caller can mend: one line, exit status 2.
type Misuse struct{ Err error }

func (m Misuse) Error() string { return m.Err.Error() }

// Unwrap gives the cause.
func (m Misuse) Unwrap() error { return m.Err }

func misuse(format string, a ...any) error { return Misuse{fmt.Errorf(format, a...)} }

// opens says which stores a command needs before it begins.
type opens int

const (
	existing opens = iota
	orMade         // a data folder that is not there yet is made
	itself         // the command opens them
)

// action is one command behind its group's name.
type action struct {
	flags func(c *command)
	run   func(ctx context.Context, c *command) error
	takes int // how many arguments stand beside the flags at most
	opens opens
}

var groups = map[string]map[string]action{
	"users": {
		"add":    {usersAddFlags, usersAdd, 0, orMade},
		"invite": {usersInviteFlags, usersInvite, 0, orMade},
		"list":   {nil, usersList, 0, existing},
		"show":   {nil, usersShow, 1, existing},
		"remove": {yesFlag, usersRemove, 1, existing},
	},
	"tokens": {
		"create": {tokensCreateFlags, tokensCreate, 0, existing},
		"list":   {userFlag, tokensList, 0, existing},
		"revoke": {tokensRevokeFlags, tokensRevoke, 1, existing},
	},
	"connections": {
		"list":   {userFlag, connectionsList, 0, existing},
		"revoke": {yesFlag, connectionsRevoke, 1, existing},
	},
	"audit": {
		"list":    {auditListFlags, auditList, 0, existing},
		"show":    {userFlag, auditShow, 1, existing},
		"orphans": {auditOrphansFlags, auditOrphans, 0, existing},
		"export":  {auditExportFlags, auditExport, 0, existing},
		"purge":   {auditPurgeFlags, auditPurge, 0, existing},
	},
	"undo":   {"": {undoFlags, undo, change.MaxUndo, existing}},
	"doctor": {"": {doctorFlags, doctor, 0, itself}},
}

// order of the actions in messages.
var order = map[string]string{
	"users": "add, invite, list, show or remove", "tokens": "create, list or revoke", "connections": "list or revoke",
	"audit": "list, show, orphans, export or purge",
}

// command is one command at work.
type command struct {
	Process
	fs     *flag.FlagSet
	given  map[string]bool // flags that were set
	args   []string        // beside the flags
	stores *Stores

	data, stack, region, profile string
	json, yes                    bool
	opt                          options
}

// options are the flags of single commands.
type options struct {
	user, athlete, name, label, days, scope, toolset, confirm, athletes string
	day, before, format, output, url                                    string
	coach, all, token, resolve                                          bool
	limit, back                                                         int
}

// Run runs a command.
func Run(ctx context.Context, p Process) error {
	c := &command{Process: p}
	a, err := c.parse()
	if err != nil {
		return err
	}
	if c.stack != "" && c.Stack == nil {
		return c.HandOver()
	}
	if a.opens != itself {
		if err := c.open(ctx, a.opens == orMade); err != nil {
			return c.plain(err)
		}
	}
	err = a.run(ctx, c)
	if a.opens != itself && c.stores.Close != nil {
		err = errors.Join(err, c.stores.Close())
	}
	return c.plain(err)
}

// parse reads the action and its flags, which may stand on either side of the
// argument.
func (c *command) parse() (action, error) {
	group := groups[c.Command]
	name, words := "", c.Command
	if _, single := group[""]; !single {
		if len(c.Args) == 0 {
			return action{}, misuse("%s: say what to do: %s (--help says more)", c.Command, order[c.Command])
		}
		name, c.Args = c.Args[0], c.Args[1:]
		words += " " + name
	}
	switch name {
	case "help", "--help", "-help", "-h":
		return action{}, flag.ErrHelp
	}
	a, ok := group[name]
	if !ok {
		return action{}, misuse("%s: unknown command %q: use %s (--help says more)", c.Command, name, order[c.Command])
	}
	c.fs = flag.NewFlagSet(words, flag.ContinueOnError)
	c.fs.SetOutput(io.Discard)
	c.fs.StringVar(&c.data, "data", "", "")
	c.fs.StringVar(&c.stack, "stack", "", "")
	c.fs.StringVar(&c.region, "region", "", "")
	c.fs.StringVar(&c.profile, "profile", "", "")
	c.fs.BoolVar(&c.json, "json", false, "")
	if a.flags != nil {
		a.flags(c)
	}
	if err := c.parseFlags(a); err != nil {
		return action{}, err
	}
	return a, c.checkPlace()
}

func (c *command) parseFlags(a action) error {
	for rest := c.Args; ; {
		switch err := c.fs.Parse(rest); {
		case errors.Is(err, flag.ErrHelp):
			return err
		case err != nil:
			return misuse("%s: %v (--help lists the flags)", c.fs.Name(), err)
		}
		if rest = c.fs.Args(); len(rest) == 0 {
			break
		}
		c.args, rest = append(c.args, rest[0]), rest[1:]
	}
	c.given = map[string]bool{}
	c.fs.Visit(func(f *flag.Flag) { c.given[f.Name] = true })
	if len(c.args) > a.takes {
		return misuse("%s: unexpected argument %q (--help lists the flags)", c.fs.Name(), c.args[a.takes])
	}
	return nil
}

func (c *command) checkPlace() error {
	switch {
	case c.given["stack"] && c.stack == "":
		return misuse("--stack wants the name of a stack")
	case c.stack != "" && c.data != "":
		return misuse("--stack and --data exclude each other: a stack keeps its data in AWS")
	case c.stack == "" && (c.region != "" || c.profile != ""):
		return misuse("--region and --profile belong to --stack")
	}
	return nil
}

// open opens the stores that the flags name.
func (c *command) open(ctx context.Context, mayMake bool) (err error) {
	if c.stack != "" {
		c.stores, err = c.Stack(ctx, StackName{c.stack, c.region, c.profile})
		return err
	}
	if c.Folder == nil {
		return misuse("this program works on stacks: --stack NAME is missing")
	}
	c.stores, err = c.Folder(c.data, mayMake)
	return err
}

// argument gives the one argument that a command wants.
func (c *command) argument(what string) (string, error) {
	if len(c.args) == 0 || c.args[0] == "" {
		return "", misuse("%s: %s is missing", c.fs.Name(), what)
	}
	return c.args[0], nil
}

// plain makes an error one line in a person's words.
func (c *command) plain(err error) error {
	var input *identity.InputError
	switch {
	case err == nil, errors.As(err, &Misuse{}):
		return err
	case errors.Is(err, context.Canceled):
		return errors.New("stopped")
	case errors.As(err, &input) && c.fs.Lookup(input.Field) != nil:
		return misuse("--%s: %s", input.Field, input.Want)
	}
	text := strings.TrimPrefix(c.stores.explain(err).Error(), "identity: ")
	return errors.New(intervals.Clean(text, 600))
}

// again is the beginning of another command on the same stores.
func (c *command) again(words string) string {
	switch {
	case c.stack != "":
		words += " --stack " + c.stack
	case c.data != "":
		words += " --data " + c.data
	}
	for _, f := range []struct{ name, value string }{{"region", c.region}, {"profile", c.profile}} {
		if f.value != "" {
			words += " --" + f.name + " " + f.value
		}
	}
	return "intervals-mcp " + words
}

// writeJSON prints a value for programs.
func (c *command) writeJSON(v any) error {
	e := newJSONEncoder(c.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// newJSONEncoder writes JSON that also a terminal may be shown.
func newJSONEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(tame{w})
	e.SetEscapeHTML(false) // it is no part of a page
	return e
}

// tame escapes the characters that a terminal obeys and encoding/json leaves as
// they are. They stand in strings only, where an escape says the same. An
// Encoder writes a whole value at once.
type tame struct{ w io.Writer }

func (t tame) Write(p []byte) (int, error) {
	var b bytes.Buffer
	for _, r := range string(p) {
		if r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(r)
	}
	if _, err := t.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// say prints a line for a person on stdout, note one on stderr.
func (c *command) say(format string, a ...any) error {
	_, err := fmt.Fprintf(c.Stdout, format+"\n", a...)
	return err
}

func (c *command) note(format string, a ...any) {
	_, _ = fmt.Fprintf(c.Stderr, format+"\n", a...) // nobody reads it then
}

func yesFlag(c *command)  { c.fs.BoolVar(&c.yes, "yes", false, "") }
func userFlag(c *command) { c.fs.StringVar(&c.opt.user, "user", "", "") }

// userID reads a user id as a person writes it: the athlete id in any case.
func userID(text string) (string, error) {
	id := identity.UserID(text)
	if !identity.ValidUser(id) {
		return "", misuse("%.80q is no user id: a user id is the athlete id in lower case, such as i12345", text)
	}
	return id, nil
}
