package identity

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"
)

func TestATokenIsPrefix43DigitsAndChecksum(t *testing.T) {
	for _, k := range []Kind{KindPersonal, KindAccess, KindRefresh, KindCode, KindInvite, KindClient} {
		text := NewToken(k).Reveal()
		if len(text) != len(k)+43+1+6 || !strings.HasPrefix(text, string(k)) {
			t.Errorf("token of %d characters: %s", len(text), text)
		}
		if kind, err := KindOf(text); err != nil || kind != k {
			t.Errorf("KindOf: %v %v", kind, err)
		}
		if NewToken(k).Reveal() == text {
			t.Error("two tokens are equal")
		}
	}
	// The format is a promise: secret scanners know it.
	if got := newToken(KindPersonal, [32]byte{31: 63}).Reveal(); got != "imcp_pat_0000000000000000000000000000000000000000011_"+checksum("imcp_pat_0000000000000000000000000000000000000000011") {
		t.Errorf("63 is written %s", got)
	}
	var full [32]byte
	for i := range full {
		full[i] = 0xff
	}
	want := new(big.Int).SetBytes(full[:]).Text(62) // digits 0-9a-zA-Z
	got := base62(full[:], secretDigits)
	if len(want) != len(got) {
		t.Fatalf("%s and %s", want, got)
	}
	swap := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 32
		case r >= 'A' && r <= 'Z':
			return r + 32
		}
		return r
	}
	if strings.Map(swap, want) != got {
		t.Errorf("base 62 of 2^256-1 is %s, want %s", got, strings.Map(swap, want))
	}
}

func TestATokenWithOneWrongCharacterIsMalformed(t *testing.T) {
	text := NewToken(KindPersonal).Reveal()
	for i := range text {
		for _, c := range []byte("a0_ \x00") {
			if text[i] == c {
				continue
			}
			wrong := text[:i] + string(c) + text[i+1:]
			if _, err := KindOf(wrong); err == nil {
				t.Errorf("character %d as %q was accepted", i, c)
			}
		}
	}
	for _, bad := range []string{"", "imcp_pat_", text[:len(text)-1], text + "0", " " + text, strings.ToUpper(text), strings.Replace(text, "pat", "at", 1), strings.Repeat("a", 10_000)} {
		if _, err := KindOf(bad); err == nil {
			t.Errorf("%.80q was accepted", bad)
		}
	}
}

func TestATokenAndItsHashDoNotPrint(t *testing.T) {
	b := NewToken(KindPersonal)
	var log strings.Builder
	l := slog.New(slog.NewJSONHandler(&log, nil))
	l.Info("x", "token", b, "hash", HashOf(b.Reveal()), "in", struct{ H Hash }{HashOf(b.Reveal())})
	j, err := json.Marshal(map[string]any{"b": b, "h": HashOf(b.Reveal())})
	if err != nil {
		t.Fatal(err)
	}
	all := log.String() + string(j) + fmt.Sprintf("%v %+v %#v %s %q", b, b, b, HashOf(b.Reveal()), []any{b, HashOf(b.Reveal())})
	if strings.Contains(all, b.Reveal()) || strings.Contains(all, b.Reveal()[9:30]) || strings.Contains(all, HashOf(b.Reveal()).Hex()) {
		t.Errorf("shown: %s", all)
	}
}

func TestAHashComesBackFromItsDigits(t *testing.T) {
	h := HashOf("x")
	if back, err := ParseHash(h.Hex()); err != nil || back != h {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", "zz", h.Hex()[2:], h.Hex() + "00"} {
		if _, err := ParseHash(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func FuzzKindOf(f *testing.F) {
	f.Add(NewToken(KindPersonal).Reveal())
	f.Add("imcp_at_")
	f.Fuzz(func(t *testing.T, s string) {
		if k, err := KindOf(s); err == nil && !strings.HasPrefix(s, string(k)) {
			t.Errorf("%q", s)
		}
	})
}
