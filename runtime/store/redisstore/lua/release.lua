local owner, term, reason = ARGV[3], ARGV[4], ARGV[5]

if owner == '' or l.owner ~= owner or l.term ~= term then return 0 end

set('owner', '', 'expiresAt', whole(now), 'released', reason, 'releasedAt', whole(now))
changed()
return 1
