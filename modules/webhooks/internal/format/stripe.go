package format

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// stripeFamilies lists the types of objects with which the names of common events begin. Events of other objects are
// posted as well.
var stripeFamilies = []string{
	"account", "application_fee", "balance", "billing", "capability", "charge", "checkout", "coupon", "credit_note",
	"customer", "financial_connections", "identity", "invoice", "invoiceitem", "issuing_authorization", "issuing_card",
	"issuing_dispute", "issuing_transaction", "mandate", "payment_intent", "payment_link", "payment_method", "payout",
	"person", "plan", "price", "product", "promotion_code", "quote", "radar", "refund", "reporting", "review",
	"setup_intent", "sigma", "source", "subscription_schedule", "tax", "tax_rate", "terminal", "topup", "transfer",
	"treasury",
}

// zeroDecimal lists the currencies without a minor unit, whose amounts are not in hundredths.
var zeroDecimal = strings.Fields("bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf")

type stripePayload struct {
	Type    string        `json:"type"`
	Live    *bool         `json:"livemode"`
	Data    *stripeData   `json:"data"`
	Related *stripeObject `json:"related_object"` // of events that contain no data
}

type stripeData struct {
	Object   stripeObject   `json:"object"`
	Previous map[string]any `json:"previous_attributes"` // of what an update changed
}

type stripeObject struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Amount      *int64 `json:"amount"`
	Total       *int64 `json:"amount_total"`
	Due         *int64 `json:"amount_due"`
	Paid        *int64 `json:"amount_paid"`
	Currency    string `json:"currency"`
	Status      string `json:"status"`
	Description string `json:"description"`
	Customer    struct {
		ID string `json:"id"`
	} `json:"customer"` // an ID, or the customer
	URL  string `json:"hosted_invoice_url"`
	Name string `json:"name"`
}

func stripe() Integration {
	events := make([]string, len(stripeFamilies))
	for i, f := range stripeFamilies {
		events[i] = f + ".*"
	}
	return Integration{
		Name: "stripe", Display: "Stripe", Events: events, Verify: verifyStripe,
		Format: func(r Request) (Message, error) {
			var p stripePayload
			if err := r.decode(&p); err != nil {
				return Message{}, err
			}
			family, verb, _ := strings.Cut(p.Type, ".")
			switch {
			case p.Data == nil && p.Related == nil:
				return Message{}, anomalous("data")
			case p.Data == nil:
				p.Data = &stripeData{}
			}
			if p.Related != nil && p.Data.Object.ID == "" {
				p.Data.Object = *p.Related
			}
			if p.Data.Object.ID == "" && p.Data.Object.Object == "" {
				return Message{}, UnsupportedError{p.Type}
			}
			verb = cmp.Or(verb, family, "changed")
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
			for _, amount := range []*int64{o.Amount, o.Total, o.Due, o.Paid} {
				if amount != nil {
					text += " (" + money(*amount, o.Currency) + ")"
					break
				}
			}
			text += "."
			if o.Description != "" {
				text += "\n" + title(o.Description)
			}
			if o.Status != "" {
				text += "\nStatus: " + strings.ReplaceAll(title(o.Status), "_", " ")
			}
			if changed := slices.Sorted(maps.Keys(p.Data.Previous)); len(changed) > 0 {
				text += "\nChanged: " + code(truncate(strings.Join(changed, ", "), 300))
			}
			topic := cmp.Or(o.Customer.ID, o.ID, family)
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
