package pages

import "strings"

// option is one choice of a group, explained in a sentence.
type option struct{ Value, Label, Text string }

// confirmOptions are the settings of safety.md 2, in the order of caution that
// suits most people.
var confirmOptions = []option{
	{"all", "Before every change", "The assistant shows you exactly what would change, and makes it only after you agree in the chat."},
	{"destructive", "Before deleting or replacing", "It asks before it deletes, replaces something you entered, changes several things at once or writes to other people. One new session goes straight in."},
	{"never", "Never", "Changes are made at once. Each is still written to your history, and most can be undone there."},
	{"person", "Always here, by me", "The assistant can only propose. Nothing is written until you open this site and tap Approve. The strictest choice."},
}

func confirmText(setting string) string {
	for _, o := range confirmOptions {
		if o.Value == setting {
			return strings.ToLower(o.Label[:1]) + o.Label[1:]
		}
	}
	return "before every change"
}

var actions = map[string]string{"create": "New", "update": "Change", "delete": "Delete"}

func actionText(a string) string {
	if t, ok := actions[a]; ok {
		return t
	}
	return line(a)
}

// statusView is a status in words with the colour of its mark.
type statusView struct{ Text, Tone string }

var statuses = map[string]statusView{
	"applied":    {"Made", "good"},
	"replayed":   {"Made before", "good"},
	"dropped":    {"Dropped", "calm"},
	"preview":    {"Waits for you", "warn"},
	"refused":    {"Refused", "bad"},
	"failed":     {"Not made", "bad"},
	"not_done":   {"Not tried", "calm"},
	"unknown":    {"Not certain", "warn"},
	"unfinished": {"Not certain", "warn"}, // an intent without an outcome
}

func statusText(s string) statusView {
	if v, ok := statuses[s]; ok {
		return v
	}
	return statusView{line(s), "calm"}
}

// undoText says in a sentence whether an object can be put back.
func undoText(u string) string {
	kind, why, _ := strings.Cut(strings.TrimSuffix(line(u), ")"), " (")
	var s string
	switch kind {
	case "yes":
		return "Can be undone."
	case "partly":
		s = "Can be undone in part"
	case "no":
		s = "Cannot be undone"
	default:
		return ""
	}
	if why != "" {
		s += ": " + why
	}
	return sentence(s)
}

var signInTexts = map[SignInProblem]string{
	// One answer for a wrong key and for an athlete who is not admitted.
	SignInRefused:     "That did not work. Check that the whole key was copied. If it was, this server may not be open to you: ask the person who runs it for an invitation.",
	SignInEmpty:       "Paste your key into the field first.",
	SignInThrottled:   "There were too many attempts. Wait fifteen minutes, then try again.",
	SignInUnreachable: "Intervals.icu does not answer at the moment, so the key could not be checked. Nothing was stored. Try again in a few minutes.",
	SignInInvitation:  "This invitation cannot be used. It may have been used already, or its time is over. Ask for a new one.",
	SignInCancelled:   "Signing in at Intervals.icu was not finished. Try again, or use your key.",
}

func (p SignInProblem) text() string {
	if t, ok := signInTexts[p]; ok || p == "" {
		return t
	}
	return signInTexts[SignInRefused]
}

// ofKey is the problem where somebody who is let in gives another key.
func (p SignInProblem) ofKey() string {
	if p == SignInRefused {
		return "Intervals.icu does not accept that key, so nothing was stored. Check that the whole key was copied."
	}
	return p.text()
}

// failureView is what the error page shows.
type failureView struct {
	Status            int
	Title, What, ToDo string
	FromTheirApp      bool
}

func (k FailureKind) view() failureView {
	t := k.text()
	return failureView{t.status, t.title, t.what, t.toDo, t.fromTheirApp}
}
