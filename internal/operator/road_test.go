package operator

import (
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals/fake"
)

func TestOnlyOfTheDemosAthletesIsItSaidThatTheirCalendarIsGone(t *testing.T) {
	c := &command{Process: Process{Getenv: func(string) string { return "" }}}
	demo, err := fake.New(fake.Demo(time.Now()), fake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whose := map[string]bool{"i7001": false}
	for _, a := range demo.Athletes() {
		whose[a.ID] = true
	}
	for athlete, demos := range whose {
		_, err := c.keyOf(t.Context(), identity.Local, athlete)
		if err == nil || !strings.HasPrefix(err.Error(), "API_KEY is not set") || strings.Contains(err.Error(), "demo") != demos {
			t.Errorf("%s: %v", athlete, err)
		}
	}
}
