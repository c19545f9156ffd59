package readstate

import (
	"encoding/binary"
	"encoding/json"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// packedForm is the version of the packed form. Chunks with another version are ignored.
const packedForm = 1

// packedHead contains all of facts except the list, which takes packedSize bytes per message.
type packedHead struct {
	Form       int                         `json:"form"`
	Recipients []message.Recipient         `json:"where"`
	Senders    []user.ID                   `json:"who"`
	Topics     []string                    `json:"topics"`
	ReadFor    map[uint16]user.ID          `json:"read_for,omitempty"`
	Moves      map[uint16][]readstate.Move `json:"moves,omitempty"`
}

const packedSize = 10

// pack encodes facts.
func (f *facts) pack() (head string, list []byte, err error) {
	h, err := json.Marshal(packedHead{
		Form: packedForm, Recipients: f.recipients, Senders: f.senders, Topics: f.topics, ReadFor: f.readFor,
		Moves: f.moves,
	})
	if err != nil {
		return "", nil, err
	}
	list = make([]byte, 0, packedSize*len(f.list))
	for _, p := range f.list {
		for _, x := range [...]uint16{p.low, p.bits, p.recipient, p.sender, p.topic} {
			list = binary.LittleEndian.AppendUint16(list, x)
		}
	}
	return string(h), list, nil
}

// unpack decodes facts. It returns nil if the version differs or the data are damaged; the rows are then read instead.
func unpack(n readstate.Chunk, head string, list []byte) *facts {
	var h packedHead
	if err := json.Unmarshal([]byte(head), &h); err != nil || h.Form != packedForm || len(list)%packedSize != 0 {
		return nil
	}
	f := newFacts(n.First())
	f.list = make([]packedMessage, len(list)/packedSize)
	f.recipients, f.senders, f.topics, f.readFor, f.moves = h.Recipients, h.Senders, h.Topics, h.ReadFor, h.Moves
	for i := range f.list {
		at := list[packedSize*i:][:packedSize]
		p := packedMessage{
			low:       binary.LittleEndian.Uint16(at),
			bits:      binary.LittleEndian.Uint16(at[2:]),
			recipient: binary.LittleEndian.Uint16(at[4:]),
			sender:    binary.LittleEndian.Uint16(at[6:]),
			topic:     binary.LittleEndian.Uint16(at[8:]),
		}
		ascends := i == 0 || f.list[i-1].low < p.low
		if !ascends || int(p.recipient) >= len(h.Recipients) || int(p.sender) >= len(h.Senders) ||
			int(p.topic) >= len(h.Topics) {
			return nil
		}
		f.list[i] = p
	}
	f.packedCount = len(f.list)
	return f
}
