package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// Problem is one thing wrong with a call that the caller can mend.
type Problem struct {
	Arg     string // the argument at fault, "" when it is none in particular
	Message string // what is wrong, as the rest of a sentence that begins with Arg
	Next    string // what to do instead; may be empty
}

func (p Problem) String() string {
	s := p.Message
	if p.Arg != "" {
		s = p.Arg + " " + s
	}
	if p.Next != "" {
		s += " (" + p.Next + ")"
	}
	return s
}

// Problems is the error of a call that was refused before or without effect;
// all problems are reported together.
type Problems []Problem

// Error joins the problems.
func (p Problems) Error() string {
	parts := make([]string, len(p))
	for i, one := range p {
		parts[i] = one.String()
	}
	return strings.Join(parts, "; ")
}

// refuse is the usual way to report one problem.
func refuse(arg, format string, a ...any) Problems {
	return Problems{{Arg: arg, Message: fmt.Sprintf(format, a...)}}
}

// wording is a refusal whose whole text is the reference server's, kept because
// prompts and clients match it (compat-tools.md).
type wording string

// Error gives the text.
func (w wording) Error() string { return string(w) }

// failure turns an error into an answer: what failed, upstream's own reason or
// the argument at fault, and the next step.
func failure(t Tool, s *Service, rq *Request, err error) Answer {
	prefix := t.Failure
	if prefix == "" {
		prefix = "Error in " + t.Name
	}
	text, kind := s.explain(rq, err)
	if !isWording(err) {
		text = prefix + ": " + text
	}
	if rq != nil {
		text = withNotes(text, rq.notes)
		if kind == intervals.Unauthorized.String() {
			s.Secrets.Refused(rq.Identity.User)
		}
	}
	return Answer{Text: text, IsError: true, Kind: kind}
}

func isWording(err error) bool {
	var w wording
	return errors.As(err, &w)
}

// explain words an error for the person in front of the assistant.
func (s *Service) explain(rq *Request, err error) (text, kind string) {
	var w wording
	if errors.As(err, &w) {
		return w.Error(), "bad input"
	}
	var problems Problems
	if errors.As(err, &problems) {
		if len(problems) == 1 {
			return problems[0].String() + ".", "bad input"
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d problems, nothing was done:", len(problems))
		for _, p := range problems {
			b.WriteString("\n- " + p.String())
		}
		return b.String(), "bad input"
	}
	if errors.Is(err, secrets.ErrNotFound) {
		return "no Intervals.icu key is stored for this user. Add one at " + s.accountPage(rq) + ".", "no key"
	}
	var secret *secrets.Error
	if errors.As(err, &secret) {
		return secret.Error() + ".", "secret " + secret.Kind.String()
	}
	var up *intervals.Error
	if errors.As(err, &up) {
		return s.explainUpstream(rq, up), up.Kind.String()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer within this server's time limit. Try again, with a shorter range if it was long.", "deadline"
	}
	if errors.Is(err, context.Canceled) {
		return "the call was cancelled.", "canceled"
	}
	// What is left is ours; its text stays in the log.
	return "an internal error of this server; nothing was changed. Try again, and report it if it stays.", "internal"
}

func (s *Service) explainUpstream(rq *Request, e *intervals.Error) string {
	reason := ""
	if e.Reason != "" {
		reason = " Intervals.icu says: " + Quote(e.Reason, 200) + "."
	}
	if e.Kind == intervals.BadArgument {
		return e.Reason + "."
	}
	if e.MaybeApplied {
		return e.Kind.String() + statusText(e) + ". The change may have been applied: read the object again before repeating the call." + reason
	}
	switch e.Kind {
	case intervals.Unauthorized:
		return "401 Unauthorized: Intervals.icu does not accept the stored key. Reconnect or renew the key at " + s.accountPage(rq) + "." + reason
	case intervals.Forbidden:
		return "403 Forbidden: this key may not read or change that. Check that the id belongs to the connected athlete or one they coach; else reconnect at " + s.accountPage(rq) + "." + reason
	case intervals.NotFound:
		return "404 Not Found: Intervals.icu has nothing with this id. Check the id with the tool that lists it." + reason
	case intervals.Hidden:
		return "Intervals.icu may not show this activity, because it came through Strava. Connect the recording device to Intervals.icu directly to see its data."
	case intervals.Invalid:
		return fmt.Sprintf("%d: Intervals.icu refused the request.%s Change the arguments accordingly.", e.Status, reason)
	case intervals.RateLimited:
		if e.RetryAfter > 0 {
			return fmt.Sprintf("429 Too Many Requests: try again in %s.", e.RetryAfter.Round(time.Second))
		}
		return "429 Too Many Requests: try again in a minute." + reason
	case intervals.Unavailable:
		return fmt.Sprintf("%d: Intervals.icu has a fault or is down for maintenance. Try again in a few minutes.%s", e.Status, reason)
	case intervals.Timeout:
		return "Intervals.icu did not answer in time. Try again, with a shorter range if it was long."
	case intervals.Canceled:
		return "the call was cancelled."
	case intervals.Network:
		return "Intervals.icu could not be reached. Try again; if it stays, check this server's network."
	case intervals.BadBody:
		return "Intervals.icu answered with something unreadable" + statusText(e) + ". Try again in a few minutes." + reason
	case intervals.TooLarge:
		return "the answer of Intervals.icu is too large. Ask for a shorter range or fewer types."
	}
	return "Intervals.icu could not be read." + reason
}

func statusText(e *intervals.Error) string {
	if e.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (status %d)", e.Status)
}
