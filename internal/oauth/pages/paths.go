package pages

import (
	"net/url"
	"strconv"
	"strings"
)

// Where pages live and where their forms go. Forms are sent by POST, to the
// path of the page or to one of the actions below it.
const (
	PathLanding   = "/"
	PathAuthorize = "/authorize" // GET: consent; POST: its answer
	PathAssets    = "/assets/"
	PathInvite    = "/invite/" // + code

	PathAccount     = "/account"             // the connections
	PathSignIn      = "/account/signin"      // GET, POST
	PathSignOut     = "/account/signout"     // POST
	PathConnections = "/account/connections" // + /{id} GET, POST; /{id}/revoke POST
	PathTokens      = "/account/tokens"      // GET, POST creates; /{id}/revoke POST
	PathChanges     = "/account/changes"     // GET; /{id} GET; /{id}/approve, /{id}/drop POST
	PathHistory     = "/account/history"     // GET; /{id} GET; /{id}/undo POST
	PathKey         = "/account/key"         // GET; /test, /replace, /forget POST
	PathMine        = "/account/mine"        // GET; /download GET; /delete POST
)

// The names of form fields.
const (
	FieldCSRF       = "csrf"       // in every form; Frame.CSRF
	FieldNext       = "next"       // where to go on after signing in or out; SignIn.Next
	FieldKey        = "key"        // an Intervals.icu API key
	FieldInvitation = "invitation" // an invitation's code
	FieldFlow       = "flow"       // the authorization request that consent answers
	FieldDecision   = "decision"   // DecisionConnect or DecisionCancel
	FieldScope      = "scope"      // read | write
	FieldToolset    = "toolset"    // core | full
	FieldConfirm    = "confirm"    // all | destructive | never | person
	FieldWho        = "who"        // WhoAll, WhoSome or WhoSelf: whom a coach's connection reaches
	FieldAthlete    = "athlete"    // repeated, with WhoSome: the ids a coach chose
	FieldLabel      = "label"      // what a personal token is called
	FieldDays       = "days"       // 30 | 90 | 365 | 0 (no end)
	FieldSure       = "sure"       // "yes": the box beside Forget was ticked
	FieldTyped      = "typed"      // what was typed to delete everything: DeleteWord
	FieldFrom       = "from"       // query: what to show first of a long difference or list
)

// What a person answers on the consent page.
const (
	DecisionConnect = "connect"
	DecisionCancel  = "cancel"
)

// Whom a coach's connection reaches.
const (
	WhoAll  = "all"  // everybody whom the coach reaches now, written out
	WhoSome = "some" // those ticked
	WhoSelf = "self" // nobody but the coach
)

// DeleteWord is what a person types to delete everything of theirs here. Case
// and space around it do not matter.
const DeleteWord = "delete"

// Deletes reports whether the typed text confirms the deletion.
func Deletes(typed string) bool { return strings.EqualFold(strings.TrimSpace(typed), DeleteWord) }

// Path joins a page's path with segments, each escaped: what an id holds never
// becomes another path.
func Path(base string, segments ...string) string {
	for _, s := range segments {
		s = url.PathEscape(s)
		if s == "." || s == ".." { // a browser would walk up
			s = strings.ReplaceAll(s, ".", "%2E")
		}
		base = strings.TrimSuffix(base, "/") + "/" + s
	}
	return base
}

func pathFrom(path string, from int) string { return path + "?" + FieldFrom + "=" + strconv.Itoa(from) }
