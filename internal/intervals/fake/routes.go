package fake

import (
	"net/http"
	"strings"
)

// route is one operation of the API. In its pattern `{name}` is a path part,
// and a trailing `{ext}` accepts .json and .csv.
type route struct {
	method  string
	parts   []string
	ext     bool
	handler func(*call) (any, error)
}

// routed is a request's way to its handler.
type routed struct {
	handler func(*call) (any, error)
	args    map[string]string
	ext     string
}

// match finds a route, or the status 404 or 405. http.ServeMux cannot match
// a suffix such as wellness{ext}, so the table is walked by hand; literal
// parts come before variable ones in it.
func (s *Server) match(method, path string) (routed, int) {
	parts := strings.Split(path, "/")
	status := http.StatusNotFound
	for i := range s.routes {
		r := &s.routes[i]
		if len(r.parts) != len(parts) {
			continue
		}
		args, ext, ok := r.fits(parts)
		if !ok {
			continue
		}
		if r.method == method {
			return routed{r.handler, args, ext}, 0
		}
		status = http.StatusMethodNotAllowed
	}
	return routed{}, status
}

func (r *route) fits(parts []string) (args map[string]string, ext string, ok bool) {
	last := len(parts) - 1
	for i, want := range r.parts {
		got := parts[i]
		if i == last && r.ext {
			for _, e := range []string{"json", "csv"} {
				if name, found := strings.CutSuffix(got, "."+e); found {
					got, ext = name, e
				}
			}
		}
		if name, isArg := strings.CutPrefix(want, "{"); isArg {
			if got == "" {
				return nil, "", false
			}
			if args == nil {
				args = map[string]string{}
			}
			args[strings.TrimSuffix(name, "}")] = got
			continue
		}
		if got != want {
			return nil, "", false
		}
	}
	return args, ext, true
}

// routeTable lists every operation that the fake has. A and V are short for
// the athlete's and the activity's paths, as in API.md 2.
func routeTable() []route {
	var table []route
	add := func(method, pattern string, handler func(*call) (any, error)) {
		pattern = strings.Replace(pattern, "A/", "athlete/{athlete}/", 1)
		pattern = strings.Replace(pattern, "V/", "activity/{activity}/", 1)
		pattern, ext := strings.CutSuffix(pattern, "{ext}")
		table = append(table, route{method, strings.Split(pattern, "/"), ext, handler})
	}

	add("GET", "athletes", (*call).listAthletes)
	add("GET", "athlete/{athlete}", (*call).getAthlete)
	add("GET", "A/profile", (*call).getProfile)
	add("GET", "A/athlete-summary{ext}", (*call).athleteSummary)
	add("GET", "A/training-plan", (*call).getTrainingPlan)
	add("GET", "A/sport-settings", (*call).listSportSettings)
	add("GET", "A/sport-settings/{sport}", (*call).getSportSettings)
	add("PUT", "A/sport-settings/{sport}", (*call).putSportSettings)
	add("PUT", "A/sport-settings/{sport}/apply", (*call).applySportSettings)
	add("GET", "A/sport-settings/{sport}/matching-activities", (*call).matchingActivities)
	add("GET", "A/mmp-model", (*call).getMMPModel)

	add("GET", "A/activities{ext}", (*call).listActivities)
	add("POST", "A/activities/manual", (*call).postManual)
	add("POST", "A/activities/manual/bulk", (*call).postManualBulk)
	add("GET", "A/activities/search", (*call).searchActivities)
	add("GET", "A/activities/search-full", (*call).searchActivitiesFull)
	add("GET", "A/activities/interval-search", (*call).searchIntervals)
	add("GET", "A/activities/{ids}", (*call).getActivities)
	add("GET", "A/activities-around", (*call).activitiesAround)
	add("GET", "A/activity-tags", (*call).activityTags)

	add("GET", "activity/{activity}", (*call).getActivity)
	add("PUT", "activity/{activity}", (*call).putActivity)
	add("DELETE", "activity/{activity}", (*call).deleteActivity)
	add("GET", "V/intervals", (*call).getIntervals)
	add("GET", "V/interval-stats", (*call).intervalStats)
	add("GET", "V/streams{ext}", (*call).getStreams)
	add("GET", "V/messages", (*call).getMessages)
	add("POST", "V/messages", (*call).postMessage)
	add("GET", "V/power-curve{ext}", (*call).powerCurve)
	add("GET", "V/power-curves{ext}", (*call).powerCurves)
	add("GET", "V/hr-curve{ext}", (*call).hrCurve)
	add("GET", "V/pace-curve{ext}", (*call).paceCurve)
	add("GET", "V/best-efforts", (*call).bestEfforts)
	add("GET", "V/power-vs-hr{ext}", (*call).powerVsHR)
	add("GET", "V/power-histogram", (*call).powerHistogram)
	add("GET", "V/hr-histogram", (*call).hrHistogram)
	add("GET", "V/pace-histogram", (*call).paceHistogram)
	add("GET", "V/gap-histogram", (*call).paceHistogram)
	add("GET", "V/time-at-hr", (*call).timeAtHR)

	add("GET", "A/power-curves{ext}", (*call).athletePowerCurves)
	add("GET", "A/hr-curves{ext}", (*call).athleteHRCurves)
	add("GET", "A/pace-curves{ext}", (*call).athletePaceCurves)
	add("GET", "A/activity-power-curves{ext}", (*call).activityPowerCurves)
	add("GET", "A/activity-hr-curves{ext}", (*call).activityHRCurves)
	add("GET", "A/activity-pace-curves{ext}", (*call).activityPaceCurves)

	add("GET", "A/wellness{ext}", (*call).listWellness)
	add("PUT", "A/wellness", (*call).putWellnessByID)
	add("PUT", "A/wellness-bulk", (*call).putWellnessBulk)
	add("GET", "A/wellness/{date}", (*call).getWellness)
	add("PUT", "A/wellness/{date}", (*call).putWellness)

	add("GET", "A/events{ext}", (*call).listEvents)
	add("POST", "A/events", (*call).postEvent)
	add("PUT", "A/events", (*call).putEventRange)
	add("DELETE", "A/events", (*call).deleteEventRange)
	add("POST", "A/events/bulk", (*call).postEvents)
	add("PUT", "A/events/bulk-delete", (*call).bulkDeleteEvents)
	add("GET", "A/events/{event}", (*call).getEvent)
	add("PUT", "A/events/{event}", (*call).putEvent)
	add("DELETE", "A/events/{event}", (*call).deleteEvent)
	add("POST", "A/events/{event}/mark-done", (*call).markDone)
	add("POST", "A/duplicate-events", (*call).duplicateEvents)
	add("GET", "A/event-tags", (*call).eventTags)
	add("GET", "A/fitness-model-events", (*call).fitnessModelEvents)

	add("GET", "A/folders", (*call).listFolders)
	add("POST", "A/folders", (*call).postFolder)
	add("PUT", "A/folders/{folder}", (*call).putFolder)
	add("DELETE", "A/folders/{folder}", (*call).deleteFolder)
	add("PUT", "A/folders/{folder}/workouts", (*call).putFolderWorkouts)
	add("GET", "A/workouts", (*call).listWorkouts)
	add("POST", "A/workouts", (*call).postWorkout)
	add("POST", "A/workouts/bulk", (*call).postWorkouts)
	add("GET", "A/workouts/{workout}", (*call).getWorkout)
	add("PUT", "A/workouts/{workout}", (*call).putWorkout)
	add("DELETE", "A/workouts/{workout}", (*call).deleteWorkout)
	add("GET", "A/workout-tags", (*call).workoutTags)

	add("GET", "A/gear{ext}", (*call).listGear)
	add("GET", "A/custom-item", (*call).listItems)
	add("POST", "A/custom-item", (*call).postItem)
	add("GET", "A/custom-item/{item}", (*call).getItem)
	add("PUT", "A/custom-item/{item}", (*call).putItem)
	add("DELETE", "A/custom-item/{item}", (*call).deleteItem)
	return table
}
