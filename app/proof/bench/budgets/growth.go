package main

import "fmt"

// growthRows returns the budgets for what users pay for messages that others have written. The larger realm has ten
// times as many messages, of which the reader can see the same number.
func growthRows(large bool) []row {
	steps := []struct{ size, messages string }{{"100000", "100,000"}}
	if large {
		steps = append(steps, struct{ size, messages string }{"1000000", "1,000,000"})
	}
	var all []row
	for _, step := range steps {
		grows := func(what, bench string, limit float64) {
			all = append(all, row{
				operation: step.messages + " messages: " + what, bench: "Growth/" + step.size + "/" + bench,
				unit: "ms", shown: "ms", reference: "a tenth of the messages", ratio: "×tenth", budget: most(limit),
			})
		}
		for _, unread := range []int{5, 50, 500} {
			for _, what := range []struct{ bench, name string }{
				{"register", "register"}, {"newest", "newest message"}, {"first_unread", "first unread"},
				{"first_unread_channel", "first unread of a channel"}, {"history", "history"}, {"is_unread", "unread messages"},
				{"mark_after_absence", "first mark after an absence"}, {"mark", "mark"},
			} {
				grows(fmt.Sprintf("%s, unread in %d channels", what.name, unread),
					fmt.Sprintf("%s/unread=%d", what.bench, unread), 1.2)
			}
		}
		for _, what := range searches {
			grows("search, "+what.name, what.bench, 2.5)
		}
	}
	if large {
		all = append(all, largeRows()...)
	}
	return all
}

var searches = []struct{ bench, name string }{
	{"search_common", "common word"}, {"search_rare", "rare word"}, {"search_own", "word in one of ten own messages"},
	{"search_nothing", "unknown word"}, {"search_common_channel", "common word in a channel"},
	{"search_rare_channel", "rare word in a channel"}, {"search_common_large_channel", "common word in a large channel"},
	{"search_rare_large_channel", "rare word in a large channel"},
}

// largeRows returns the budgets in a realm of a million messages.
func largeRows() []row {
	const at = "Growth/1000000/"
	var all []row
	for _, what := range searches {
		all = append(all, row{
			operation: "1,000,000 messages: search, " + what.name, bench: at + what.bench, unit: "ms", shown: "ms",
			budget: most(100),
		})
	}
	return append(all,
		row{
			operation: "1,000,000 messages: index words", bench: at + "index", unit: "messages/s", shown: "messages/s",
			budget: least(10_000),
		},
		row{
			operation: "1,000,000 messages: backup, with verification", bench: at + "backup", unit: "s", shown: "s",
			budget: most(20), once: true,
		})
}
