// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Balls in closed form: the contact surface of a ball with a plane, a flat face or another ball is
// a cap around the line of their centres, rigid or compliant alike.
#pragma once

#include <vector>

#include "geometry/hydroelastic/surface_points.h"

namespace cenic {

// Force, stiffness and size of the cap. `depth` is the overlap along the line of centres.
struct BallCap {
  double force = 0;      // N
  double stiffness = 0;  // N/m
  double energy = 0;     // J
  double disc = 0;       // radius of the circle where the surfaces meet, m
  double height = 0;     // from the ball's centre to the cap, m
};

// A ball of radius R whose pressure falls from E at the centre, against
//   another ball (distance = of the centres), or a plane (distance = of the ball's centre from it).
// Softness: depth for each pascal, R/E of a ball, H/E of a plane; 0: rigid.
struct BallPair {
  double R1 = 0, softness1 = 0;
  double R2 = 0, softness2 = 0;  // R2 = 0: a plane
  double distance = 0;
  double depth() const { return R1 + R2 - distance; }
};
BallCap calc_ball_cap(const BallPair& b);

// How a ball meets the other solid.
struct BallContact {
  BallPair pair;
  Vec3 up;  // from the other solid towards the ball, in M's frame
  bool ball_is_M = false;
};
// The contact of M and N when one is a ball and the other a ball, a half space, or a convex solid
// of which it stands over one face, away from the face's rim, no further than the margin.
bool find_ball_contact(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                       double margin, BallContact* contact);

// Appends the points of such a contact, in M's frame. False: not such a pair, nothing done. With a
// margin, m, points across gaps up to it, too.
bool add_ball_points(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                     double margin, std::vector<SurfacePoint>* points);

}  // namespace cenic
