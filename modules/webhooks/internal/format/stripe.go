package format

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"
)

// stripeFamilies lists the types of objects whose events are supported. The name of an event begins with the type.
var stripeFamilies = []string{
	"account", "charge", "checkout", "customer", "invoice", "invoiceitem", "payment_intent", "payout", "product", "refund",
	"transfer",
}

// zeroDecimal lists the currencies without a minor unit, whose amounts are not in hundredths.
var zeroDecimal = strings.Fields("bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf")

func stripe() Integration {
	events := make([]string, len(stripeFamilies))
	for i, f := range stripeFamilies {
		events[i] = f + ".*"
	}
	return Integration{
		Name: "stripe", Display: "Stripe", Events: events, Verify: verifyStripe,
		Format: func(r Request) (Message, error) {
			var p struct {
				Type string `json:"type"`
				Live *bool  `json:"livemode"`
				Data *struct {
					Object struct {
						ID          string  `json:"id"`
						Object      string  `json:"object"`
						Amount      *int64  `json:"amount"`
						Due         *int64  `json:"amount_due"`
						Currency    string  `json:"currency"`
						Status      string  `json:"status"`
						Description string  `json:"description"`
						Customer    any     `json:"customer"`
						URL         string  `json:"hosted_invoice_url"`
						Name        string  `json:"name"`
						Email       *string `json:"email"`
					} `json:"object"`
				} `json:"data"`
			}
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			if p.Type == "" || p.Data == nil {
				return Message{}, anomalous("type")
			}
			family, verb, _ := strings.Cut(p.Type, ".")
			if !slices.Contains(stripeFamilies, family) || verb == "" {
				return Message{}, UnsupportedError{p.Type}
			}
			o := p.Data.Object
			mode := ""
			if p.Live != nil && !*p.Live {
				mode = "test/"
			}
			kind := strings.ReplaceAll(cmp.Or(o.Object, family), ".", "_")
			name := link(
				title(strings.ReplaceAll(kind, "_", " ")+" "+cmp.Or(o.Name, o.ID)),
				cmp.Or(o.URL, "https://dashboard.stripe.com/"+mode+"search?query="+o.ID),
			)
			text := fmt.Sprintf("%s: %s", name, strings.NewReplacer(".", " ", "_", " ").Replace(title(verb)))
			if amount := o.Amount; amount != nil || o.Due != nil {
				if amount == nil {
					amount = o.Due
				}
				text += " (" + money(*amount, o.Currency) + ")"
			}
			text += "."
			if o.Description != "" {
				text += "\n" + title(o.Description)
			}
			if o.Status != "" {
				text += "\nStatus: " + strings.ReplaceAll(title(o.Status), "_", " ")
			}
			topic := cmp.Or(o.ID, family)
			if customer, ok := o.Customer.(string); ok && customer != "" {
				topic = customer
			}
			return Message{Event: p.Type, Topic: truncate(line(topic), 60), Content: text}, nil
		},
	}
}

func money(amount int64, currency string) string {
	c := strings.ToUpper(line(currency))
	if slices.Contains(zeroDecimal, strings.ToLower(c)) {
		return fmt.Sprintf("%d %s", amount, c)
	}
	emoji := ""
	if amount < 0 {
		emoji, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%02d %s", emoji, amount/100, amount%100, c)
}

// verifyStripe checks a header of the form "t=TIME,v1=HEX". The signature covers the time and the body.
func verifyStripe(r Request, secret string) bool {
	var at string
	var found []string
	for _, part := range strings.Split(r.Headers["Stripe-Signature"], ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			at = value
		case "v1":
			found = append(found, value)
		}
	}
	want := hmacHex(secret, at+"."+string(r.Body))
	return slices.ContainsFunc(
		found,
		func(got string) bool { return subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1 },
	)
}
