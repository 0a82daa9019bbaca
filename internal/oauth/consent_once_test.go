package oauth_test

import (
	"testing"
	"time"
)

func TestAConsentFormIsGoodForOneAnswerWheneverItIsSent(t *testing.T) {
	for issued := time.Duration(0); issued < time.Hour; issued += 10*time.Minute - 7*time.Second {
		w := newTown(t)
		w.pass(issued)
		b, _, p := asked(t, w, keyOf1)
		w.pass(2 * time.Second)
		b.want(b.submit(p, "/authorize", "decision", "connect"), 303)
		for _, later := range []time.Duration{10 * time.Second, 5 * time.Minute, 4*time.Minute + 40*time.Second} {
			w.pass(later)
			if again := b.submit(p, "/authorize", "decision", "connect"); again.StatusCode == 303 {
				t.Errorf("issued at %s past the hour, it counted twice", issued)
			}
		}
	}
}
