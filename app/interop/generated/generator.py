"""Sends, reads and polls with the Python client that openapi-generator generates."""

import os

import generated

configuration = generated.Configuration(
    host=os.environ["SITE"] + "/api/v1", username=os.environ["EMAIL"], password=os.environ["KEY"]
)
with generated.ApiClient(configuration) as client:
    channels = generated.ChannelsApi(client)
    events = generated.EventsApi(client)
    messages = generated.MessagesApi(client)
    channels.subscribe(subscriptions='[{"name":"generated"}]')
    queue = events.register_queue(event_types='["message"]')
    sent = messages.send_message(type="channel", to="generated", topic="clients", content="Hello from a generator")
    read = messages.get_message(sent.id)
    assert "Hello from a generator" in read.message.content, read
    polled = events.get_events(queue_id=queue.queue_id, last_event_id=queue.last_event_id)
    assert any(sent.id == getattr(e.actual_instance, "message", sent).id for e in polled.events), polled
print("passed")
