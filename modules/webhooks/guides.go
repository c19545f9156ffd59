package webhooks

import (
	"fmt"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/webhooks/internal/format"
)

// guides returns a page for each service.
func guides(all []format.Integration) []kit.Guide {
	out := make([]kit.Guide, len(all))
	for i, one := range all {
		out[i] = kit.Guide{
			Under: "incoming", Name: strings.ReplaceAll(one.Name, "_", "-"), Title: one.Display, Text: guide(one),
		}
	}
	return out
}

func guide(one format.Integration) string {
	var b strings.Builder
	fmt.Fprintf(&b, `In the web client, choose Organization, then Bots, and add a bot of the type "incoming webhook".
"Create a webhook URL" on its page makes the URL for %s, with the channel that the messages go to. It looks like this:

`+"```\n{address}/api/v1/external/%s?api_key=KEY&stream=CHANNEL\n```\n\n", one.Display, one.Name)
	b.WriteString(one.Steps() + "\n")
	writeSample(&b, one)
	if one.Verify != nil {
		fmt.Fprintf(&b, "\n%s signs its requests. If the URL contains `webhook_secret`, unsigned requests are refused.\n",
			one.Display)
	}
	if len(one.Events) > 0 {
		fmt.Fprintf(&b, "\nThe parameters `only_events` and `exclude_events` choose among these events, as in "+
			"`only_events=[\"%s\"]`:\n\n", one.Events[0])
		for _, e := range one.Events {
			fmt.Fprintf(&b, "* `%s`\n", e)
		}
	}
	if len(one.Options) > 0 {
		b.WriteString("\nThe URL takes these options:\n\n")
		for _, o := range one.Options {
			fmt.Fprintf(&b, "* `%s`: %s\n", o.Key, o.Label)
		}
	}
	return b.String()
}

// writeSample writes a request, and the message that comes of it.
func writeSample(b *strings.Builder, one format.Integration) {
	const fence = "``````" // longer than those in messages
	m := one.Sample.Message
	fmt.Fprintf(b, "\n**Example.** %s sends this request:\n\n%s\n%s%s\n\n", one.Display, fence, one.Sample.Text(), fence)
	if m.Topic != "" {
		fmt.Fprintf(b, "This message comes of it, in the topic `%s`:\n\n", m.Topic)
	} else {
		b.WriteString("This message comes of it:\n\n")
	}
	fmt.Fprintf(b, "%s\n%s\n%s\n", fence, m.Content, fence)
}
