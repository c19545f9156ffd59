package logs

import (
	"regexp"
	"strings"
)

// technical are the words of errors that a support bundle contains.
var technical = words(`a abort aborted access accepted address after already an and another answer as assembly at
	authentication attempt attempts bad before begin being blob blobs broken busy by bytes call can't canceled cannot
	certificate check closed column commit conflict connect connection constraint context corrupt could count create
	damaged data database deadline deadlock decode decrypted delete deleted denied descriptor device dial did directory
	disk dns does duplicate empty encode end entry eof error exceeded exist exists expected expired exit failed failure
	fatal file files find folder for format found from full gap handshake has health host in index input insert integrity
	internal invalid io is job json key large length limit line link list load locked log long lookup lost mail malformed
	many memory message messages method migration missing name network no node none not null of on open operation or
	organization out page panic parse path peer permission pipe pool port protocol query queue read reader realm refused
	relation reset response retry route row rows schema seq server service short size slow socket sql sqlstate start state
	status step stop store stuck such syntax table tcp tables temporary test than that the there timed time timeout tls to
	token too transaction try type udp unavailable unexpected unique unknown unreachable update user users utf value values
	version view violates wal was while with without write wrong`)

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

var (
	token  = regexp.MustCompile(`\S+`)
	number = regexp.MustCompile(`^[0-9]{1,19}(?:\.[0-9]+)?(?:ns|µs|ms|s|m|h|%)?$`)
)

// omitted stands for the words that Scrub removes.
const omitted = "…"

// Scrub returns the technical words and the numbers of a text, such as that of an error. It removes all others, since
// they may be names, addresses, secrets, or what people have written.
func Scrub(text string) string {
	var out []string
	for _, w := range token.FindAllString(text, -1) {
		bare := strings.ToLower(strings.Trim(w, `.,:;()[]"`))
		if !technical[bare] && !number.MatchString(bare) {
			bare = omitted
		}
		if bare != omitted || len(out) == 0 || out[len(out)-1] != omitted {
			out = append(out, bare)
		}
	}
	return strings.Join(out, " ")
}
