package fake

import "math"

// fitnessDay is one day of the recursion of API.md 5: fitness (CTL) and
// fatigue (ATL) in load points, as they stand at the end of the day.
type fitnessDay struct{ CTL, ATL float64 }

// nextDay applies one day's load to the day before:
// ctl += (ctlLoad - ctl) * (1 - e^(-1/ctlDays)), ATL alike (API.md 5).
// Days without a meaning (zero or less) are the platform's 42 and 7.
func nextDay(prev fitnessDay, ctlLoad, atlLoad, ctlDays, atlDays float64) fitnessDay {
	if !(ctlDays > 0) {
		ctlDays = 42
	}
	if !(atlDays > 0) {
		atlDays = 7
	}
	return fitnessDay{
		CTL: prev.CTL + (ctlLoad-prev.CTL)*(1-math.Exp(-1/ctlDays)),
		ATL: prev.ATL + (atlLoad-prev.ATL)*(1-math.Exp(-1/atlDays)),
	}
}
