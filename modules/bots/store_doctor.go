package bots

import "github.com/stoachat/stoa/modules/kit"

// diagnoses returns the module's checks of stoa doctor.
func diagnoses() []kit.Diagnosis {
	const sum = "COALESCE((SELECT sum(length(e.name) + length(e.value)) FROM bot_storage e WHERE e.user_id = "
	return []kit.Diagnosis{{
		Name: "storage", Doc: "The size recorded for each bot's storage is right.",
		Wrong: []kit.Wrong{{
			Table: "bot_storages", Where: "r.chars <> " + sum + "r.user_id), 0)", Text: "record a wrong size",
			Fix: "chars = " + sum + "r.user_id), 0)",
		}},
	}}
}
