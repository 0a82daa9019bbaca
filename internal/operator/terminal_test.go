package operator

import (
	"bytes"
	"testing"
	"time"
)

func TestProgressIsOneLineThatGoesAwayAndInAPipeThereIsNone(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b}
	p.show("%d done", 1)
	p.show("%d done", 2) // too soon
	p.last = time.Time{}
	p.show("%d done", 3)
	p.clear()
	if got := b.String(); got != "\r\x1b[K1 done\r\x1b[K3 done\r\x1b[K" {
		t.Errorf("%q", got)
	}
	quiet := (&command{Process: Process{Stderr: &b}}).progress()
	quiet.show("x")
	quiet.clear()
	if bytes.Contains(b.Bytes(), []byte("x")) {
		t.Error("progress in a pipe")
	}
}

func TestALineDiffIsShort(t *testing.T) {
	for _, tt := range []struct{ old, next, want []string }{
		{nil, []string{"a"}, []string{"+ a"}},
		{[]string{"a", "b", "c"}, []string{"a", "c", "d"}, []string{"  a", "- b", "  c", "+ d"}},
		{[]string{"a", "b"}, nil, []string{"- a", "- b"}},
	} {
		got := lineDiff(tt.old, tt.next)
		if len(got) != len(tt.want) {
			t.Errorf("%q -> %q: %q", tt.old, tt.next, got)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%q -> %q: %q", tt.old, tt.next, got)
			}
		}
	}
}
