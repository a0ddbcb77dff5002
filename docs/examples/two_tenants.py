"""A service with two tenants: each has a key, and sees nothing of the other.

    pip install 'meridia[service]'
    python two_tenants.py

Starts `meridia serve`, speaks to it over HTTP as both tenants, and stops it.
"""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request

DB = ["--db", "tenants.db"]
PORT = os.environ.get("PORT", "8399")


def key_for(tenant):
    """Make a key that opens one space; it is shown once."""
    command = ["meridia", *DB, "keys", "create", "--for", tenant, "--access", "write", "--json"]
    return json.loads(subprocess.check_output(command))["key"]


def ask(key, operation, **given):
    """Ask one operation; return its answer, or the problem."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{PORT}/v1/{operation}",
        json.dumps(given).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as problem:
        return json.load(problem)


def wait_until_ready(service):
    """Wait until the service answers; stop where it has ended, such as for a port in use."""
    while service.poll() is None:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz")
        except urllib.error.URLError:
            time.sleep(0.2)
    raise SystemExit("the service has ended: run the command by hand to see why")


acme, globex = key_for("acme"), key_for("globex")
service = subprocess.Popen(["meridia", *DB, "serve", "--port", PORT], stderr=subprocess.DEVNULL)
try:
    wait_until_ready(service)
    ask(acme, "remember", text="The launch is on the 12th of May.", person="Ann")
    ask(globex, "remember", text="We moved the launch party to Oslo.", person="Bo")
    for name, key in (("acme", acme), ("globex", globex)):
        hits = ask(key, "recall", question="When is the launch?")["hits"]
        print(f"{name} finds:", [hit["text"] for hit in hits])
    refused = ask(globex, "recall", question="When is the launch?", space="acme")
    print("globex asks for acme:", refused["status"], refused["code"])
finally:
    service.terminate()
    service.wait()
