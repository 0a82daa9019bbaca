package fake

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkTwoYearsOfActivities is the largest list that the demo serves.
func BenchmarkTwoYearsOfActivities(b *testing.B) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	s, err := New(Demo(now), Options{Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	r, _ := http.NewRequest(http.MethodGet, "http://fake/api/v1/athlete/0/activities?oldest=2020-01-01", nil)
	r.SetBasicAuth("API_KEY", s.Athletes()[0].APIKey)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Transport().RoundTrip(r); err != nil {
			b.Fatal(err)
		}
	}
}
