package tools

// The numbers of an activity by the headings that the reference server prints
// them under. What a heading's table does not name is added by detail: full.
var (
	activityHead = []metric{
		num("distance", "Distance", "distance|icu_distance", asDistance),
		num("elapsed_time", "Duration", "elapsed_time", asDuration),
		num("moving_time", "Moving Time", "moving_time", asDuration),
		num("total_elevation_gain", "Elevation Gain", "total_elevation_gain", asHeight),
		num("total_elevation_loss", "Elevation Loss", "total_elevation_loss", asHeight),
	}
	activityPower = []metric{
		num("average_power", "Average Power", "icu_average_watts", asWatts),
		num("weighted_average_power", "Weighted Avg Power", "icu_weighted_avg_watts", asWatts),
		num("training_load", "Training Load", "icu_training_load", asCount),
		num("ftp", "FTP", "icu_ftp", asWatts),
		num("work", "Kilojoules", "icu_joules", asKilojoules),
		num("intensity", "Intensity", "icu_intensity", asWholePercent),
		num("power_hr_ratio", "Power:HR Ratio", "icu_power_hr", asRatio),
		num("variability_index", "Variability Index", "icu_variability_index", asRatio),
	}
	activityHeart = []metric{
		num("average_heartrate", "Average HR", "average_heartrate", asBeats),
		num("max_heartrate", "Max HR", "max_heartrate", asBeats),
		num("lthr", "LTHR", "lthr", asBeats),
		num("resting_hr", "Resting HR", "icu_resting_hr", asBeats),
		num("decoupling", "Decoupling", "decoupling", asPercent),
	}
	activityOther = []metric{
		num("average_cadence", "Cadence", "average_cadence", asCadence),
		num("calories", "Calories burned", "calories", asKcal),
		activityPace,
		num("average_gap", "Grade Adjusted Pace", "gap", asPace),
		num("average_speed", "Average Speed", "average_speed", asSpeed),
		num("max_speed", "Max Speed", "max_speed", asSpeed),
		num("average_stride", "Average Stride", "average_stride", asStride),
		num("left_balance", "L/R Balance", "avg_lr_balance", asPercent),
		num("weight", "Weight", "icu_weight", asWeight),
		num("lifted", "Lifted", "kg_lifted", asWeight),
		activityRPE,
		num("session_rpe", "Session RPE", "session_rpe", asCount),
	}
	activityEnvironment = []metric{
		num("average_temp", "Average Temp", "average_temp", asTemperature),
		num("min_temp", "Min Temp", "min_temp", asTemperature),
		num("max_temp", "Max Temp", "max_temp", asTemperature),
		num("average_wind_speed", "Avg Wind Speed", "average_wind_speed", asWind),
		num("headwind", "Headwind", "headwind_percent", asWholePercent),
		num("tailwind", "Tailwind", "tailwind_percent", asWholePercent),
	}
	activityTraining = []metric{
		num("fitness", "Fitness (CTL)", "icu_ctl", asFitness),
		num("fatigue", "Fatigue (ATL)", "icu_atl", asFitness),
		num("trimp", "TRIMP", "trimp", asCount),
		num("polarization_index", "Polarization Index", "polarization_index", asRatio),
		num("power_load", "Power Load", "power_load", asCount),
		num("hr_load", "HR Load", "hr_load", asCount),
		num("pace_load", "Pace Load", "pace_load", asCount),
		num("efficiency_factor", "Efficiency Factor", "icu_efficiency_factor", asRatio),
	}
)

// activityPace is the platform's, else computed from distance and time.
var activityPace = metric{key: "average_pace", label: "Average Pace", from: []string{"pace", "average_speed"}, q: asPace, derive: meanSpeed}

// activityRPE is what the athlete entered on the platform, else what came from
// Strava.
var activityRPE = num("rpe", "RPE", "icu_rpe|perceived_exertion", asOfTen)

// activitySections are the headings in their order; the first has none.
var activitySections = []struct {
	heading string
	metrics []metric
}{
	{"", activityHead},
	{"Power Data:", activityPower},
	{"Heart Rate Data:", activityHeart},
	{"Other Metrics:", activityOther},
	{"Environment:", activityEnvironment},
	{"Training Metrics:", activityTraining},
}

// activityListed are the numbers of a row of get_activities.
var activityListed = []metric{
	activityHead[0], activityHead[2], activityHead[1], activityHead[3],
	activityPower[2], activityPower[0], activityPower[1], activityPower[5],
	activityHeart[0], activityHeart[1],
	activityOther[0], activityOther[2], activityOther[4], activityOther[1], activityOther[10],
}

// The numbers of a lap that its line in a list tells.
var (
	lapStart    = num("start_time", "Start", "start_time", asDuration)
	lapElapsed  = num("elapsed_time", "Duration", "elapsed_time", asDuration)
	lapMoving   = num("moving_time", "Moving Time", "moving_time", asDuration)
	lapDistance = num("distance", "Distance", "distance", asDistance)
	lapPower    = num("average_power", "Average Power", "average_watts", asWatts)
	lapMaxPower = num("max_power", "Max Power", "max_watts", asWatts)
	lapHR       = num("average_heartrate", "Average HR", "average_heartrate", asBeats)
	lapMaxHR    = num("max_heartrate", "Max HR", "max_heartrate", asBeats)
	lapPace     = num("average_pace", "Average Pace", "average_speed", asPace)
	lapSpeed    = num("average_speed", "Average Speed", "average_speed", asSpeed)
	lapCadence  = num("average_cadence", "Average Cadence", "average_cadence", asCadence)
)

// intervalGroup is one of the headings under which the reference server puts
// an interval's numbers.
type intervalGroup struct {
	heading string
	metrics []metric
}

// intervalSections hold every number of an interval (API.md 2.3).
var intervalSections = []intervalGroup{
	{"", []metric{
		lapStart,
		num("end_time", "End", "end_time", asDuration),
		lapElapsed,
		lapMoving,
		lapDistance,
		num("start_index", "Start Index", "start_index", asCount),
		num("end_index", "End Index", "end_index", asCount),
	}},
	{"Power Metrics:", []metric{
		lapPower,
		num("average_power", "Average Power per kg", "average_watts_kg", asWattsPerKg),
		num("min_power", "Min Power", "min_watts", asWatts),
		lapMaxPower,
		num("max_power", "Max Power per kg", "max_watts_kg", asWattsPerKg),
		num("weighted_average_power", "Weighted Avg Power", "weighted_average_watts", asWatts),
		num("intensity", "Intensity", "intensity", asWholePercent),
		num("training_load", "Training Load", "training_load", asTenths),
		num("work", "Kilojoules", "joules", asKilojoules),
		num("work_above_ftp", "Kilojoules > FTP", "joules_above_ftp", asKilojoules),
		num("zone", "Power Zone", "zone", asCount),
		num("zone_min", "Zone Min", "zone_min_watts", asWatts),
		num("zone_max", "Zone Max", "zone_max_watts", asWatts),
		num("wbal_start", "W' Balance Start", "wbal_start", asKilojoules),
		num("wbal_end", "W' Balance End", "wbal_end", asKilojoules),
		num("left_balance", "L/R Balance", "avg_lr_balance", asPercent),
		num("variability_5s", "Variability (5 s)", "w5s_variability", asRatio),
		num("average_torque", "Average Torque", "average_torque", asTorque),
		num("min_torque", "Min Torque", "min_torque", asTorque),
		num("max_torque", "Max Torque", "max_torque", asTorque),
	}},
	{"Heart Rate & Metabolic:", []metric{
		lapHR,
		num("min_heartrate", "Min HR", "min_heartrate", asBeats),
		lapMaxHR,
		num("decoupling", "Decoupling", "decoupling", asPercent),
		num("dfa_a1", "DFA a1", "average_dfa_a1", asRatio),
		num("respiration", "Respiration", "average_respiration", asPerMinute),
		num("epoc", "EPOC", "average_epoc", asTenths),
		num("smo2", "SmO2", "average_smo2", asPercent),
		num("smo2_2", "SmO2 second sensor", "average_smo2_2", asPercent),
		num("thb", "THb", "average_thb", asHaemoglobin),
		num("thb_2", "THb second sensor", "average_thb_2", asHaemoglobin),
		num("average_lactate", "Average Lactate", "average_lactate", asLactate),
		num("min_lactate", "Min Lactate", "min_lactate", asLactate),
		num("max_lactate", "Max Lactate", "max_lactate", asLactate),
	}},
	{"Speed & Cadence:", []metric{
		lapPace,
		num("average_gap", "Grade Adjusted Pace", "gap", asPace),
		lapSpeed,
		num("min_speed", "Min Speed", "min_speed", asSpeed),
		num("max_speed", "Max Speed", "max_speed", asSpeed),
		lapCadence,
		num("min_cadence", "Min Cadence", "min_cadence", asCadence),
		num("max_cadence", "Max Cadence", "max_cadence", asCadence),
		num("average_stride", "Average Stride", "average_stride", asStride),
	}},
	{"Elevation & Environment:", []metric{
		num("total_elevation_gain", "Elevation Gain", "total_elevation_gain", asHeight),
		num("min_altitude", "Min Altitude", "min_altitude", asHeight),
		num("max_altitude", "Max Altitude", "max_altitude", asHeight),
		num("average_gradient", "Average Gradient", "average_gradient", asGradient),
		num("average_temp", "Average Temp", "average_temp", asTemperature),
		num("average_weather_temp", "Weather Temp", "average_weather_temp", asTemperature),
		num("average_feels_like", "Feels Like", "average_feels_like", asTemperature),
		num("average_wind_speed", "Avg Wind Speed", "average_wind_speed", asWind),
		num("average_wind_gust", "Avg Wind Gust", "average_wind_gust", asWind),
		num("prevailing_wind", "Prevailing Wind", "prevailing_wind_deg", asDegrees),
		num("headwind", "Headwind", "headwind_percent", asWholePercent),
		num("tailwind", "Tailwind", "tailwind_percent", asWholePercent),
	}},
}
