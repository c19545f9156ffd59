package markdown

import "time"

// timeOfDay parses hours, minutes and seconds separated by colons, optionally with am or pm.
func (d *dateParser) timeOfDay() bool {
	if d.timed {
		return false
	}
	h, m, s, part := d.number(2), "0", "0", ""
	if h != "" && d.take(":") != "" {
		if m = d.number(2); m != "" && d.take(":") != "" {
			s = d.number(2)
			part = d.fraction()
		}
	}
	half := d.take("am", "pm")
	if half == "" && (d.peek(0) == "a" || d.peek(0) == "p") && d.peek(1) == "." && d.peek(2) == "m" {
		half = d.peek(0) + "m"
		d.at += 3
		d.take(".")
	}
	return d.setClock(h, m, s, part, half)
}

// compact parses a time of day without colons, such as 1530.
func (d *dateParser) compact() bool {
	switch n := d.number(6); len(n) {
	case 2:
		return d.setClock(n, "0", "0", "", "")
	case 4:
		return d.setClock(n[:2], n[2:], "0", "", "")
	case 6:
		return d.setClock(n[:2], n[2:4], n[4:], d.fraction(), "")
	}
	return false
}

// fraction parses the decimal part of seconds.
func (d *dateParser) fraction() string {
	if d.peek(0) != "." || d.peek(1) == "" || !digit(d.peek(1)[0]) {
		return ""
	}
	d.at++
	return d.number(maxDate)
}

func (d *dateParser) setClock(h, m, s, part, half string) bool {
	if h == "" || m == "" || s == "" {
		return false
	}
	hours, minutes, secs := value(h), value(m), value(s)
	if half != "" {
		if hours < 1 || hours > 12 {
			return false
		}
		if hours %= 12; half == "pm" {
			hours += 12
		}
	}
	d.timed = true
	d.clock = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(secs)*time.Second
	if part != "" {
		d.clock += time.Duration(value((part + "000000")[:6])) * time.Microsecond
	}
	return hours < 24 && minutes < 60 && secs < 60
}

// zoneOffset parses +2, +02, +0200 or +02:00, east of Greenwich.
func (d *dateParser) zoneOffset() bool {
	west := d.take("+", "-") == "-"
	h, m := d.number(4), "0"
	switch {
	case len(h) == 4:
		h, m = h[:2], h[2:]
	case h == "" || len(h) == 3:
		return false
	case d.take(":") != "":
		m = d.number(2)
	}
	if m == "" || value(h) > 23 || value(m) > 59 {
		return false
	}
	ok := d.offset == 0
	d.offset, d.zoned = time.Duration(value(h))*time.Hour+time.Duration(value(m))*time.Minute, true
	if west {
		d.offset = -d.offset
	}
	return ok
}

func (d *dateParser) time() (time.Time, bool) {
	y, m, day, ok := d.date()
	if !ok {
		return time.Time{}, false
	}
	t := time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
	if y < 1 || t.Month() != m || t.Day() != day {
		return time.Time{}, false
	}
	return inRange(t.Add(d.clock - d.offset))
}
