-- wrk sends the given bytes and checks every answer: the status and the length of the body.
-- usage: wrk ... -s check.lua URL -- REQUEST_FILE STATUS LENGTH
local thread_of_run

function setup(thread)
  thread_of_run = thread
end

-- Replaces wrk's own init, so that the request is formatted once and not for each send.
function wrk.init(args)
  local file = assert(io.open(args[1], "rb"))
  local raw = file:read("*a")
  file:close()
  expected_status = tonumber(args[2])
  expected_length = tonumber(args[3])
  wrong = 0
  wrk.request = function() return raw end
end

function response(status, headers, body)
  if status ~= expected_status or #body ~= expected_length then wrong = wrong + 1 end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"answered": %d, "seconds": %.6f, "wrong": %d, "socket_errors": %d, "timeouts": %d}\n',
    summary.requests, summary.duration / 1e6, thread_of_run:get("wrong") + errors.status,
    errors.connect + errors.read + errors.write, errors.timeout))
end
