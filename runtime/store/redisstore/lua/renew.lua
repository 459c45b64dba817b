local owner, term, ttl = ARGV[3], ARGV[4], tonumber(ARGV[5])

if live and l.owner == owner and l.term == term then
  set('heartbeatAt', whole(now), 'expiresAt', whole(now + ttl), 'ttlMs', whole(ttl))
  return changed()
end

return told()
