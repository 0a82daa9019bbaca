package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestANameIsOneShortLineWithoutHiddenSigns(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"Claude", "Claude"},
		{"  Claude \n\t Code  ", "Claude Code"},
		{"", "an application without a name"},
		{"\u200b\u202e\x00", "an application without a name"},
		{"Claude\u202egpj", "Claudegpj"},
		{"Cl\u00adau\u200bde\u2060", "Claude"},
		{"a\u3164b\u2800c", "abc"},
		{"\xff\xfeok", "ok"},
		{"فاطمة الزهراء", "فاطمة الزهراء"},
		{"山田 太郎", "山田 太郎"},
		{"e\u0301", "e\u0301"},
		{"Z" + strings.Repeat("\u0335", 80), "Z" + strings.Repeat("\u0335", 3)},
		{strings.Repeat("ä", 61), strings.Repeat("ä", 60) + "…"},
		{strings.Repeat("ä", 60), strings.Repeat("ä", 60)},
		{strings.Repeat("ä", 59) + " b", strings.Repeat("ä", 59) + "…"},
		{"\U000E0041tag", "tag"},
	} {
		if got := Name(c.given); got != c.want {
			t.Errorf("Name(%q) = %q, want %q", c.given, got, c.want)
		}
	}
}

func FuzzNoNameIsLongOrHidesAnything(f *testing.F) {
	f.Add("Claude")
	f.Add("\u202e<script>\x00" + strings.Repeat("\u0335", 9))
	f.Fuzz(func(t *testing.T, s string) {
		got := Name(s)
		if n := utf8.RuneCountInString(got); n > maxName+1 || n == 0 || !utf8.ValidString(got) {
			t.Errorf("Name(%q) = %q", s, got)
		}
		for _, r := range got {
			if hidden(r) {
				t.Errorf("Name(%q) keeps %U", s, r)
			}
		}
	})
}

// Nothing may hide in what a person approves: a name drops such signs, a value
// writes them out.
func TestAValueShowsWhatIsNotSeen(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"- 10m Z2\n- 5m\tZ1", "- 10m Z2\n- 5m\tZ1"},
		{"a\r\nb\rc", "a\nb⟨U+000D⟩c"},
		{"run\u202ekcab", "run⟨U+202E⟩kcab"},
		{"x\u200by\x1b[31m", "x⟨U+200B⟩y⟨U+001B⟩[31m"},
		{"👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"},
		{"bad \xff byte", "bad \uFFFD byte"},
	} {
		if got := value(c.given); got != c.want {
			t.Errorf("value(%q) = %q, want %q", c.given, got, c.want)
		}
	}
}

func TestADifferenceOfLinesGivesBothTextsBack(t *testing.T) {
	many := strings.Repeat("line\n", maxLines+1)
	for _, c := range []struct{ old, new, want string }{
		{"", "a\nb", "+a +b"},
		{"a\nb\n", "", "-a -b"},
		{"a\nb\nc", "a\nx\nc", "a -b +x c"},
		{"a\nb\nc\n", "b\nc\nd\n", "-a b c +d"},
		{"same\nsame", "same\nsame", "same same"},
		{many, "x", strings.TrimSpace(strings.Repeat("-line ", maxLines+1)) + " +x"},
	} {
		var said, before, after []string
		for _, l := range lines(c.old, c.new) {
			said = append(said, l.Sign+l.Text)
			if l.Sign != "+" {
				before = append(before, l.Text)
			}
			if l.Sign != "-" {
				after = append(after, l.Text)
			}
		}
		if got := strings.Join(said, " "); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.old, c.new, got, c.want)
		}
		if strings.Join(before, "\n") != strings.TrimSuffix(c.old, "\n") || strings.Join(after, "\n") != strings.TrimSuffix(c.new, "\n") {
			t.Errorf("%q to %q cannot be read back from %q", c.old, c.new, said)
		}
	}
}

func TestAHostIsShownAsItIs(t *testing.T) {
	for _, c := range []struct {
		address, host        string
		loopback, ownProgram bool
	}{
		{"https://claude.ai/api/mcp/auth_callback", "claude.ai", false, false},
		{"https://Claude.AI.evil.example/cb", "claude.ai.evil.example", false, false},
		{"https://claude.ai@evil.example/cb", "evil.example", false, false},
		{"http://localhost:8123/callback", "localhost:8123", true, false},
		{"http://LOCALHOST./callback", "localhost.", true, false},
		{"http://app.localhost/cb", "app.localhost", true, false},
		{"http://127.9.9.9:1/cb", "127.9.9.9:1", true, false},
		{"http://[::1]:5/cb", "[::1]:5", true, false},
		{"https://localhost.example.com/cb", "localhost.example.com", false, false},
		{"https://xn--claud-gra.example/cb", "xn--claud-gra.example", false, false},
		{"cursor://anysphere/cb", "anysphere", false, true},
		{"com.example.app:/cb", "com.example.app:", false, true},
		{"http://a b/", "an address that cannot be read", false, false},
	} {
		if got := host(c.address); got != c.host {
			t.Errorf("host(%q) = %q, want %q", c.address, got, c.host)
		}
		if got := loopback(c.address); got != c.loopback {
			t.Errorf("loopback(%q) = %v", c.address, got)
		}
		if got := ownScheme(c.address); got != c.ownProgram {
			t.Errorf("ownScheme(%q) = %v", c.address, got)
		}
	}
}

func TestAnIDNeverBecomesAnotherPath(t *testing.T) {
	for _, c := range []struct{ id, want string }{
		{"c1", "/account/connections/c1/revoke"},
		{"../tokens", "/account/connections/..%2Ftokens/revoke"},
		{"..", "/account/connections/%2E%2E/revoke"},
		{"a?b#c", "/account/connections/a%3Fb%23c/revoke"},
	} {
		if got := Path(PathConnections, c.id, "revoke"); got != c.want {
			t.Errorf("%q: %s, want %s", c.id, got, c.want)
		}
	}
	if got := Path(PathInvite, "code"); got != "/invite/code" {
		t.Errorf("an invitation's path is %s", got)
	}
}

func TestTimeLeftIsSaidInWords(t *testing.T) {
	now := time.Date(2026, 11, 30, 23, 55, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{-time.Second: "over", 0: "over", 59 * time.Second: "less than a minute", 61 * time.Second: "1 minute",
		8*time.Minute + 59*time.Second: "8 minutes", 2 * time.Hour: "until Tue 1 Dec 2026, 01:55"} {
		if got := left(now, now.Add(d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := left(time.Time{}, now) + left(now, time.Time{}); got != "" {
		t.Errorf("without a time: %q", got)
	}
}

func TestOnlyTheWordDeletes(t *testing.T) {
	for typed, want := range map[string]bool{"delete": true, " Delete\n": true, "DELETE": true, "": false, "delete it": false, "yes": false} {
		if Deletes(typed) != want {
			t.Errorf("%q: %v", typed, !want)
		}
	}
}

func TestWhetherAChangeCanBeUndoneIsSaidInASentence(t *testing.T) {
	for given, want := range map[string]string{
		"yes": "Can be undone.", "partly (it gets a new id)": "Can be undone in part: it gets a new id.",
		"no (others may have read it)": "Cannot be undone: others may have read it.", "no": "Cannot be undone.", "": "", "maybe": "",
	} {
		if got := undoText(given); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestAnUnknownProblemOfSigningInSaysNoMoreThanRefused(t *testing.T) {
	if SignInProblem("anything").text() != SignInRefused.text() || SignInProblem("").text() != "" {
		t.Error("it says something else")
	}
	for p, text := range signInTexts {
		if strings.Contains(strings.ToLower(text), "unknown") || !strings.HasSuffix(text, ".") {
			t.Error(fmt.Sprint(p, ": ", text))
		}
	}
}
