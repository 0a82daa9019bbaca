package pages

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxName  = 60  // runes of a name that somebody else chose
	maxLine  = 400 // runes of a summary, warning or reason
	maxMarks = 3   // combining marks on one letter
)

// Name makes a name that somebody else chose harmless to show: one line, at
// most 60 characters, without characters that are not seen, that turn the
// direction of text round, or that grow out of their line.
func Name(s string) string {
	if s = clean(s, maxName); s == "" {
		return "an application without a name"
	}
	return s
}

// line does the same for a sentence.
func line(s string) string { return clean(s, maxLine) }

func clean(s string, limit int) string {
	var b strings.Builder
	n, marks, space := 0, 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case hidden(r) || r == utf8.RuneError:
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		if space {
			n++
		}
		if n++; n > limit {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hidden are characters that are not seen but change how others look: controls,
// direction marks, blanks of no width, tags, private use.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp) || r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800
}

// value shows a value of a difference whole: what is not seen is written out,
// so that nothing hides in what a person approves.
func value(s string) string {
	var b strings.Builder
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	for _, r := range s {
		// The joiners are part of ordinary writing and of emoji.
		if r != '\n' && r != '\t' && r != 0x200C && r != 0x200D && hidden(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// host gives the host of an address as people may compare it: in lower case,
// with its port; for an application's own scheme the scheme.
func host(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "an address that cannot be read"
	case u.Host == "":
		return clean(u.Scheme+":", maxName)
	}
	return clean(strings.ToLower(u.Host), 253)
}

// loopback reports whether an address leads to a program on the person's own
// computer (RFC 8252 7.3).
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip := net.ParseIP(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || (ip != nil && ip.IsLoopback())
}

// ownScheme reports whether an address belongs to an application's own scheme
// (RFC 8252 7.1).
func ownScheme(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme != "http" && u.Scheme != "https"
}

func when(t time.Time) string { return t.Format("Mon 2 Jan 2006, 15:04") }
func day(t time.Time) string  { return t.Format("2 Jan 2006") }
func stamp(t time.Time) string {
	return t.Format(time.RFC3339)
}

// left says how much time there is until t.
func left(now, t time.Time) string {
	d := t.Sub(now)
	switch {
	case now.IsZero() || t.IsZero():
		return ""
	case d <= 0:
		return "over"
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Minute:
		return "1 minute"
	case d < time.Hour:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return "until " + when(t)
}

// count says a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	s = line(s)
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	s = string(unicode.ToUpper(r)) + s[size:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?") && !strings.HasSuffix(s, "…") {
		s += "."
	}
	return s
}
