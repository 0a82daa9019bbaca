package identity

import (
	"fmt"
	"strings"
	"testing"
)

func TestATokenIsUniqueWellFormedAndNeverPrinted(t *testing.T) {
	a, b := NewToken(PersonalPrefix), NewToken(PersonalPrefix)
	if a.Reveal() == b.Reveal() {
		t.Fatal("two tokens are the same")
	}
	if !WellFormed(PersonalPrefix, a.Reveal()) {
		t.Errorf("%q is not well formed", a.Reveal())
	}
	if shown := fmt.Sprint(a); strings.Contains(shown, PersonalPrefix) {
		t.Errorf("a token prints as %q", shown)
	}
}

func TestATypingErrorInATokenIsFound(t *testing.T) {
	good := NewToken(PersonalPrefix).Reveal()
	last := good[len(good)-1]
	for name, bad := range map[string]string{
		"empty": "", "prefix only": PersonalPrefix, "cut": good[:len(good)-1], "longer": good + "a",
		"other prefix":   "imcp_at_" + good[len(PersonalPrefix):],
		"one letter off": good[:len(good)-1] + string(map[bool]byte{true: 'b', false: 'a'}[last == 'a']),
		"upper case":     strings.ToUpper(good),
		"not base32":     PersonalPrefix + strings.Repeat("0", randomChars+checkChars),
	} {
		if WellFormed(PersonalPrefix, bad) {
			t.Errorf("%s: %q passes", name, bad)
		}
	}
}
