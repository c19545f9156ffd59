package main

import (
	"fmt"
	"strings"
)

// rows returns the budgets.
func rows() []row {
	load := least(1)
	all := []row{
		{
			operation: "send, 10 subscribers", bench: "Send", unit: "p50-ms", shown: "ms",
			reference: "durable commit of one row", ratio: "×commit", budget: most(2),
		},
		{
			operation: "send, 64 clients", bench: "SendLoad", unit: "msg/s", shown: "messages/s",
			reference: "durable commits of one row, as many clients", ratio: "×commits", budget: least(2), postgres: &load,
		},
		{
			operation: "send, 100,000 subscribers", bench: "SendGrowth/subscribers=100000", unit: "ns/op", shown: "ms",
			reference: "10 subscribers", ratio: "x-of-10", budget: most(1.2),
		},
		{
			operation: "send, 10,000 held polls", bench: "ParkedPolls", unit: "send-ms", shown: "ms",
			reference: "no held polls", ratio: "send×alone", budget: most(1.5),
		},
		{
			operation: "the last of 10,000 polls wakes", bench: "ParkedPolls", unit: "woken-ms", shown: "ms",
			reference: "bare Fiber server, as many bytes", ratio: "woken×Fiber", budget: most(1.5),
		},
		{
			operation: "send while a topic of 12,000 is renamed, p99 more than alone", bench: "SendsBesideMoves/limited/beside",
			unit: "more-ms", shown: "ms", budget: most(100),
		},
		{operation: "memory for a held poll", bench: "ParkedPolls", unit: "KiB/poll", shown: "KiB", budget: most(14)},
		{operation: "resume over 1,000 entries", bench: "Resume", unit: "ns/op", shown: "ms", budget: most(10), once: true},
		{
			operation: "mark 100,000 messages as read, one topic", bench: "Mark/topic/100000", unit: "ns/op", shown: "ms",
			reference: "10,000 messages", of: "Mark/topic/10000", budget: most(2),
		},
		{
			operation: "mark 100,000 messages as read, all", bench: "Mark/all/100000", unit: "ns/op", shown: "ms",
			reference: "10,000 messages", of: "Mark/all/10000", budget: most(2),
		},
		{operation: "64 people mark a message, one batch", bench: "MarkBatch", unit: "ns/op", shown: "ms", budget: most(10)},
		{operation: "search, rare word, 200,000 messages", bench: "Search/rare", unit: "ms/search", shown: "ms",
			budget: most(50)},
		{operation: "search, common word, 200,000 messages", bench: "Search/common", unit: "ms/search", shown: "ms",
			budget: most(200)},
		{
			operation: "notify 10,000 devices of one @all", bench: "NotifyAll", unit: "notifications/s",
			shown: "notifications/s", budget: least(2000),
		},
		{operation: "notify 10,000 devices: memory", bench: "NotifyAll", unit: "MiB-growth", shown: "MiB", budget: most(128)},
		{
			operation: "send to 10,000 people with devices", bench: "NotifyAll", unit: "send-ms", shown: "ms",
			reference: "without notifications", ratio: "send×without", budget: most(1.2),
		},
		{
			operation: "10,000 scheduled messages due at once, the last one late", bench: "Due/nodes=one", unit: "s-late",
			shown:  "s",
			budget: most(1),
		},
		{operation: "idle node: CPU", bench: "Idle/nodes=1", unit: "%CPU", shown: "%", budget: most(0.3)},
		{operation: "idle node: queries", bench: "Idle/nodes=1", unit: "queries/s", shown: "1/s", budget: most(5)},
		{
			operation: "three idle nodes: queries of each", bench: "Idle/nodes=3", unit: "queries/s", shown: "1/s",
			budget: most(5), cluster: true,
		},
		{
			operation: "an event reaches another node, more than on its own", bench: "OtherNode", unit: "more-ms", shown: "ms",
			budget: most(10), cluster: true,
		},
		{operation: "start, first answer", bench: "Start", unit: "first-ms", shown: "ms", budget: most(300)},
		{operation: "start, resident memory", bench: "Start", unit: "MiB", shown: "MiB", budget: most(60)},
		{operation: "binary", bench: "Start", unit: "binary-MiB", shown: "MiB", budget: most(60), once: true},
	}
	for _, kind := range []string{"combined", "channel", "topic", "dm", "sender", "mentions"} {
		all = append(all,
			row{
				operation: "history, 100 messages, CPU, read before: " + kind, bench: "History/hot/" + kind, unit: "cpu-ms",
				shown: "ms", budget: most(0.6),
			},
			row{
				operation: "history, 100 messages, not read before: " + kind, bench: "History/cold/" + kind, unit: "ns/op",
				shown: "ms", reference: "SQL by hand and encoding/json", ratio: "x-by-hand", budget: most(1.5),
			},
		)
	}
	for _, kind := range []string{
		"channel", "dm", "is dm", "sender", "has link", "mentioned", "unread", "resolved", "not sender", "not dm",
		"search common", "search rare", "search nothing", "search in topic", "search in dm", "not search",
	} {
		all = append(all, row{
			operation: "after a burst of 10,000 sends: " + kind, bench: "Burst/" + strings.ReplaceAll(kind, " ", "_"),
			unit:  "p99-ms",
			shown: "ms", budget: most(100),
		})
	}
	for _, where := range []string{"disk", "s3"} {
		for _, way := range []string{"form", "resumable"} {
			name := fmt.Sprintf("upload 1 GiB, %s, %s", where, way)
			all = append(all,
				row{
					operation: name, bench: "Upload/" + where + "/" + way, unit: "MB/s", shown: "MB/s", once: true,
					reference: "bare Fiber server that writes to a file", ratio: "of-bare-fiber", budget: least(0.8),
				},
				row{
					operation: name + ": memory", bench: "Upload/" + where + "/" + way, unit: "MiB-growth", shown: "MiB",
					budget: most(32), once: true,
				})
		}
	}
	for _, r := range []struct {
		bench, state string
		limit        float64
	}{{"warm", "view in memory", 30}, {"cold", "after a start", 150}, {"unread/warm", "50,000 unread", 30},
		{"unread/cold", "50,000 unread, after a start", 150}} {
		all = append(all, row{
			operation: "register, 10,000 people: " + r.state, bench: "Register/" + r.bench, unit: "ns/op", shown: "ms",
			budget: most(r.limit),
		})
	}
	return append(all, growthRows(false)...)
}
