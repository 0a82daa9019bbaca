package fake

import (
	"net/http"
	"strings"
	"testing"
)

// Every operation, with odd queries and bodies, on an athlete with everything
// and on one with next to nothing: refused or answered, never a Java text.
func TestNoRequestBringsTheServerDown(t *testing.T) {
	queries := []string{
		"", "oldest=2026-07-01&newest=2026-07-31&type=Ride&q=a&start_index=1&end_index=5&stream=watts&duration=5&recalcHrZones=true",
		"oldest=0001-01-01&newest=9999-12-31&category=NOTE&start=0001-01-01&end=9999-12-31&limit=-1&minSecs=0&maxSecs=9&minIntensity=0&maxIntensity=900",
		"oldest=x&start=x&limit=x&type=x&curves=x&types=,&fields=,", "curves=all,s9,r.0001-01-01.9999-12-31&type=Run&distances=0.5,400&secs=1",
		"stream=latlng&distance=1&startIndex=9&endIndex=3&count=-1&bucketSize=1&types=latlng&fatigue=kj1",
	}
	bodies := []string{
		"", "{}", "[]", "[{}]", `{"id":-1,"name":null,"content":[],"type":7,"tags":[1],"gear":{},"eventIds":[null],"numCopies":1,"weeksBetween":0}`,
		`{"category":"TARGET","type":"Ride","start_date_local":"0001-01-01T00:00:00","time_target":-1}`,
		`{"category":"WORKOUT","type":"Ride","start_date_local":"9999-12-31T00:00:00","description":"- 9999h 9999%","workout_doc":{"steps":[{"steps":[null,7]}]}}`,
		`[{"id":"2026-07-14","weight":1e400}]`, `[{"id":"2026-07-14","weight":1e30,"external_id":{},"start_date_local":"2026-07-14T00:00:00","type":"Run"}]`,
	}
	for _, id := range []string{"i12345", "i20003"} {
		fill := strings.NewReplacer("{athlete}", "0", "{activity}", "i90000101", "{event}", "60000001", "{date}", "2026-07-14", "{item}", "7001",
			"{sport}", "Ride", "{folder}", "81001", "{workout}", "810001", "{ids}", "i90000101,,x")
		if id == "i20003" {
			fill = strings.NewReplacer("{athlete}", "0", "{activity}", "ai20003", "{event}", "200031", "{date}", "2026-07-14", "{item}", "1",
				"{sport}", "Ride", "{folder}", "1", "{workout}", "1", "{ids}", "ai20003")
		}
		for _, r := range routeTable() {
			w := newWorld(t).as(id)
			for _, query := range queries {
				for _, body := range bodies {
					path := fill.Replace(strings.Join(r.parts, "/"))
					got := w.do(r.method, path+"?"+query, body)
					if got.status >= 500 || strings.Contains(got.body, "java.lang.Runtime") {
						t.Fatalf("%s %s?%s %s: %d %s", r.method, path, query, body, got.status, got.body)
					}
					if r.method == http.MethodGet {
						break
					}
				}
			}
		}
	}
}
