package fake

import "strings"

// measuredKeys are what an Interval and an IntervalGroup have in common, in
// order.
const measuredKeys = `
	start_index distance moving_time elapsed_time average_watts average_watts_alt average_watts_alt_acc
	min_watts max_watts average_watts_kg max_watts_kg intensity w5s_variability weighted_average_watts
	training_load joules joules_above_ftp decoupling avg_lr_balance average_dfa_a1 average_epoc
	wbal_start wbal_end average_respiration average_tidal_volume average_tidal_volume_min zone
	zone_min_watts zone_max_watts average_speed min_speed max_speed gap average_heartrate min_heartrate
	max_heartrate average_cadence min_cadence max_cadence average_torque min_torque max_torque
	total_elevation_gain min_altitude max_altitude average_gradient average_smo2 average_thb
	average_smo2_2 average_thb_2 average_lactate min_lactate max_lactate average_temp
	average_weather_temp average_feels_like average_wind_speed average_wind_gust prevailing_wind_deg
	average_yaw headwind_percent tailwind_percent strain_score ss_p_max ss_w_prime ss_cp id`

// The key sets of the API's full objects, in the order of the wire. A full
// object spells out every one of them, null or not (API.md 1.5).
var (
	// activityKeys are the keys of a full Activity (samples/activity_ride.json).
	activityKeys = strings.Fields(`
		id start_date_local type icu_ignore_time icu_pm_cp icu_pm_w_prime icu_pm_p_max icu_pm_ftp
		icu_pm_ftp_secs icu_pm_ftp_watts icu_ignore_power icu_rolling_cp icu_rolling_w_prime
		icu_rolling_p_max icu_rolling_ftp icu_rolling_ftp_delta icu_training_load icu_atl icu_ctl ss_p_max
		ss_w_prime ss_cp paired_event_id icu_ftp icu_joules icu_recording_time elapsed_time
		icu_weighted_avg_watts carbs_used name description start_date distance icu_distance moving_time
		coasting_time total_elevation_gain total_elevation_loss timezone trainer sub_type commute race
		max_speed average_speed device_watts has_heartrate max_heartrate average_heartrate average_cadence
		calories average_temp min_temp max_temp avg_lr_balance gap gap_model use_elevation_correction gear
		perceived_exertion device_name power_meter power_meter_serial power_meter_battery crank_length
		external_id file_sport_index file_type icu_athlete_id created icu_sync_date analyzed icu_w_prime
		p_max threshold_pace icu_hr_zones pace_zones lthr icu_resting_hr icu_weight icu_power_zones
		icu_sweet_spot_min icu_sweet_spot_max icu_power_spike_threshold trimp icu_warmup_time
		icu_cooldown_time icu_chat_id icu_ignore_hr ignore_velocity ignore_pace ignore_parts
		icu_training_load_data interval_summary skyline_chart_bytes stream_types has_weather has_segments
		power_field_names power_field icu_zone_times icu_hr_zone_times pace_zone_times gap_zone_times
		use_gap_zone_times custom_zones tiz_order polarization_index icu_achievements icu_intervals_edited
		lock_intervals icu_lap_count icu_joules_above_ftp icu_max_wbal_depletion icu_hrr icu_sync_error
		icu_color icu_power_hr_z2 icu_power_hr_z2_mins icu_cadence_z2 icu_rpe feel kg_lifted decoupling
		icu_median_time_delta p30s_exponent workout_shift_secs strava_id lengths pool_length compliance
		coach_tick source oauth_client_id oauth_client_name average_altitude min_altitude max_altitude
		power_load hr_load pace_load hr_load_type pace_load_type tags attachments recording_stops
		average_weather_temp min_weather_temp max_weather_temp average_feels_like min_feels_like
		max_feels_like average_wind_speed average_wind_gust prevailing_wind_deg headwind_percent
		tailwind_percent average_clouds max_rain max_snow carbs_ingested route_id analysis_issues pace
		athlete_max_hr group icu_intensity icu_efficiency_factor icu_power_hr session_rpe average_stride
		icu_average_watts icu_variability_index strain_score`)
	// eventKeys are the keys of a full Event (samples/events_list.json, with plan_name).
	eventKeys = strings.Fields(`
		id start_date_local icu_training_load icu_atl icu_ctl type carbs_used ss_p_max ss_w_prime ss_cp
		calendar_id uid athlete_id category end_date_local name description indoor color moving_time icu_ftp
		w_prime p_max atl_days ctl_days updated not_on_fitness_chart show_as_note show_on_ctl_line for_week
		target joules joules_above_ftp workout_doc push_errors athlete_cannot_edit hide_from_athlete
		structure_read_only created_by_id shared_event_id entered carbs_per_hour sub_type distance tags
		attachments oauth_client_id external_id load_target time_target distance_target
		training_availability max_training_time can_train_sports plan_athlete_id plan_folder_id
		plan_workout_id plan_applied icu_intensity strain_score plan_name`)
	// wellnessKeys are the keys of a Wellness record (samples/wellness_list.json).
	wellnessKeys = strings.Fields(`
		id ctl atl rampRate ctlLoad atlLoad sportInfo updated weight restingHR hrv hrvSDNN menstrualPhase
		menstrualPhasePredicted kcalConsumed sleepSecs sleepScore sleepQuality avgSleepingHR soreness
		fatigue stress mood motivation injury spO2 systolic diastolic hydration hydrationVolume readiness
		baevskySI bloodGlucose lactate bodyFat abdomen vo2max comments steps respiration carbohydrates
		protein fatTotal locked tempWeight tempRestingHR`)
	// allIntervalKeys are the keys of an Interval (samples/activity_intervals.json).
	allIntervalKeys = strings.Fields(measuredKeys + ` type end_index group_id segment_effort_ids start_time end_time label average_stride`)
	// groupKeys are the keys of an IntervalGroup.
	groupKeys = strings.Fields(measuredKeys + ` count average_stride`)
	// messageKeys are the keys of a Message.
	messageKeys = strings.Fields(`
		id athlete_id name created type content activity_id start_index end_index answer activity
		attachment_url attachment_mime_type deleted deleted_by_id join_group_id accept_coaching_group_id
		seen`)
	// sportKeys are the keys of a SportSettings (samples/sport_settings_list.json: eFTPSupported is the live spelling).
	sportKeys = strings.Fields(`
		id athlete_id types warmup_time cooldown_time ftp indoor_ftp w_prime p_max power_zones
		sweet_spot_min sweet_spot_max power_spike_threshold power_zone_names ftp_est_min_secs
		use_laps_for_power_intervals keep_all_laps_for_power_intervals power_intervals_start_locked
		after_kj0 after_kj1 power_field lthr max_hr hr_zones hr_zone_names hr_load_type hrrc_min_percent
		threshold_pace pace_units pace_zones pace_zone_names pace_load_type gap_model elevation_correction
		use_gap_zone_times best_effort_distances pace_curve_start load_order tiz_order workout_order
		interval_display default_gear_id default_indoor_gear_id extract_workouts show_pauses ignore_velocity
		default_workout_time update_activity_name_from_workout created updated mmp_model display
		activity_field_ids activity_charts custom_field_ids custom_field_values custom_zones_ids
		calendar_tile_activity_panel_id other use_distance_for_intervals eFTPSupported`)
	// athleteKeys are the keys of GET /athlete/{id} but for custom_items and sportSettings.
	athleteKeys = strings.Fields(`
		id name firstname lastname profile_medium measurement_preference weight_pref_lb fahrenheit
		wind_speed rain weight email sex city state country countries languages bikes shoes timezone locale
		date_format time_format visibility icu_last_seen status status_updated icu_resting_hr icu_weight
		icu_weight_sync icu_activated icu_queue_pos icu_admin icu_friend_invite_token icu_permission
		icu_effort_secs icu_coach bio website icu_date_of_birth icu_api_key icu_type_settings
		icu_form_as_percent icu_mmp_days icu_wellness_prompt wellness_last_prompt_date icu_wellness_keys
		private_wellness_keys icu_track_menstrual_cycle icu_menstrual_cycle_perm activity_rpe_prompt
		coach_ticks icu_garmin_health icu_garmin_training icu_garmin_sync_activities
		garmin_sync_activity_types garmin_sync_after icu_garmin_download_wellness icu_garmin_upload_workouts
		icu_garmin_outdoor_power_range icu_garmin_hr_range garmin_pace_range garmin_power_target
		icu_garmin_last_upload icu_garmin_upload_filters icu_garmin_wellness_keys open_step_duration
		polar_scope polar_sync_activities polar_sync_activity_types polar_download_wellness
		polar_wellness_keys suunto_scope suunto_user_id suunto_sync_activities suunto_sync_activity_types
		suunto_upload_workouts suunto_outdoor_power_range suunto_hr_range suunto_pace_range
		suunto_last_upload suunto_upload_filters suunto_download_wellness coros_user_id
		coros_sync_activities coros_upload_workouts coros_download_wellness coros_last_upload
		concept2_user_id concept2_sync_activities zepp_user_id zepp_sync_activities zepp_upload_workouts
		zepp_download_wellness huawei_user_id huawei_sync_activities huawei_upload_workouts
		huawei_download_wellness wahoo_user_id wahoo_sync_activities wahoo_upload_workouts zwift_user_id
		zwift_sync_activities zwift_upload_workouts dropbox_scope oura_scope oura_wellness_keys whoop_scope
		whoop_wellness_keys google_scope google_wellness_keys icu_email_verified icu_email_disabled
		email_notifications push_notifications include_descr_in_plan_for_week icu_send_achievements
		icu_send_newsletter icu_send_private_chat icu_send_private_msg icu_send_follow_req
		icu_send_group_chat icu_send_group_msg icu_send_activity_chat icu_send_followed_activity_chat
		icu_send_coached_activity_chat icu_send_activity_msg icu_send_coach_me_req icu_send_gear_alerts
		icu_send_plan_for_week icu_send_followed_new_activity icu_send_coached_new_activity
		icu_send_coach_tick strava_allowed strava_id scope strava_sync_activities strava_sync_activity_types
		strava_sync_other_activities ignore_strava_gear update_strava_name add_weather_to_strava_descr
		height height_units plan plan_expires trial_end_date sponsored_by_chat_id has_password beta_user
		currency training_plan_id training_plan_start_date training_availability strava_authorized`)
	// profileKeys are the keys of the athlete in a profile.
	profileKeys = strings.Fields(`
		id name profile_medium city state country timezone sex bio website email countries languages
		icu_coach`)
	// gearKeys are the keys of a Gear.
	gearKeys = strings.Fields(`
		id athlete_id type name purchased notes distance time activities use_elapsed_time retired
		component_ids reminders activity_filters component`)
	// reminderKeys are the keys of a GearReminder.
	reminderKeys = strings.Fields(`
		id gear_id name distance time activities days last_reset starting_distance starting_time
		starting_activities snoozed_until percent_used distance_used time_used activities_used days_used`)
	// itemKeys are the keys of a CustomItem.
	itemKeys = strings.Fields(`
		id athlete_id type visibility name description image content usage_count index hide_script
		hidden_by_id updated from_athlete from_id`)
	// folderKeys are the keys of a Folder.
	folderKeys = strings.Fields(`
		athlete_id id type name description children visibility start_date_local rollout_weeks
		auto_rollout_day read_only_workouts starting_ctl starting_atl activity_types num_workouts
		duration_weeks hours_per_week_min hours_per_week_max workout_targets blurb canEdit sharedWithCount
		shareToken owner`)
	// workoutKeys are the keys of a library Workout.
	workoutKeys = strings.Fields(`
		athlete_id id icu_training_load name description type indoor color moving_time updated joules
		joules_above_ftp workout_doc folder_id day days plan_applied hide_from_athlete target targets
		carbs_per_hour tags attachments time sub_type for_week distance icu_intensity`)
)

// The API's enums. Case matters.
var (
	sportTypes = enum(`
		Ride Run Swim WeightTraining Hike Walk AlpineSki BackcountrySki Badminton Canoeing Crossfit
		EBikeRide EMountainBikeRide Elliptical Golf GravelRide TrackRide Handcycle
		HighIntensityIntervalTraining Hockey IceSkate InlineSkate Kayaking Kitesurf MountainBikeRide
		Cyclocross NordicSki OpenWaterSwim Padel Pilates Pickleball Racquetball Rugby RockClimbing RollerSki
		Rowing Sail Skateboard Snowboard Snowshoe Soccer Squash StairStepper StandUpPaddling Surfing
		TableTennis Tennis TrailRun Transition Velomobile VirtualRide VirtualRow VirtualRun VirtualSki
		WaterSport Wheelchair Windsurf Workout Yoga Other`)
	eventCategories = enum(`WORKOUT RACE_A RACE_B RACE_C NOTE PLAN HOLIDAY SICK INJURED SET_EFTP FITNESS_DAYS SEASON_START TARGET SET_FITNESS`)
	subTypes        = enum(`NONE COMMUTE WARMUP COOLDOWN RACE`)
	targetTypes     = enum(`AUTO POWER HR PACE`)
	availabilities  = enum(`NORMAL LIMITED UNAVAILABLE`)
	menstrualPhases = enum(`PERIOD FOLLICULAR OVULATING LUTEAL NONE`)
	itemTypes       = enum(`FITNESS_CHART FITNESS_TABLE TRACE_CHART INPUT_FIELD ACTIVITY_FIELD INTERVAL_FIELD ACTIVITY_STREAM
		ACTIVITY_CHART ACTIVITY_HISTOGRAM ACTIVITY_HEATMAP ACTIVITY_MAP ACTIVITY_PANEL ZONES`)
	itemVisibilities = enum(`PRIVATE FOLLOWERS PUBLIC`)
	paceUnits        = enum(`SECS_100M SECS_100Y MINS_KM MINS_MILE SECS_500M SECS_400M SECS_250M NONE`)
	loadTypes        = enum(`AVG_HR HR_ZONES HRSS`)
	priorityOrders   = enum(`POWER_HR_PACE POWER_PACE_HR HR_POWER_PACE HR_PACE_POWER PACE_POWER_HR PACE_HR_POWER`)
)

// enum makes a set of its words.
func enum(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
