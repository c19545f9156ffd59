"""Sends, reads and polls with the client that openapi-python-client generates."""

import os

from python import AuthenticatedClient
from python.api.channels import subscribe
from python.api.events import get_events, register_queue
from python.api.messages import get_message, send_message
from python import models

import base64

token = base64.b64encode(f"{os.environ['EMAIL']}:{os.environ['KEY']}".encode()).decode()
client = AuthenticatedClient(base_url=os.environ["SITE"] + "/api/v1", token=token, prefix="Basic")


def must(answer):
    assert answer is not None and answer.result == "success", answer
    return answer


name = "generated"
must(subscribe.sync(client=client, body=models.SubscribeRequest(subscriptions='[{"name":"generated"}]')))
queue = must(register_queue.sync(client=client, body=models.RegisterQueueRequest(event_types='["message"]')))
request = models.SendMessageRequest(
    type_=models.SendMessageRequestType.CHANNEL, to=name, topic="clients", content="Hello from Python"
)
sent = must(send_message.sync(client=client, body=request))
read = must(get_message.sync(sent.id, client=client))
assert "Hello from Python" in read.message.content, read
polled = must(get_events.sync(client=client, queue_id=queue.queue_id, last_event_id=queue.last_event_id))
assert any(event.type_ == "message" and event.message.id == sent.id for event in polled.events), polled
print("passed")
